import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query'
import { mostIncidents } from '../../shared/list-terms.ts'
import { titleOf } from '../../shared/title.ts'
import { api } from '../../ui/data/api.ts'
import { call, callQuery, olderPages, reload, useCall } from '../../ui/data/call.ts'
import { queryClient } from '../../ui/data/query.ts'
import { prefetchForUser } from '../../ui/data/session.ts'
import { noteEdit, outcomeOf } from '../../ui/form/conflict/edits.ts'
import type { SearchSource } from '../../ui/search/hits.ts'
import { firstQuery, type ServerList } from '../../ui/table/use-rows.ts'
import { notifyInfo, notifySuccess, notifyWarning } from '../../ui/toasts.ts'
import type { ListedIncident } from '../contract.ts'
import type { Common, Detail, Item, PageNames, Values } from './tool-pages.ts'

export const entryList = (tool: string): ServerList => ({
  key: ['entries', tool, 'list'],
  path: `/api/v1/${tool}/list`,
  topic: tool,
})

export const loadList = (tool: string) => prefetchForUser(firstQuery(entryList(tool)))

/** With `mine`, counts only the user's own entries. */
export const figuresQuery = ({ id: tool }: PageNames, mine?: 'true') =>
  queryOptions({
    queryKey: ['entries', tool, 'figures', { mine }],
    queryFn: () => call('GET /api/v1/:tool/figures', { tool, mine }),
    meta: { quiet: true, about: { topic: tool, outlastsRuns: true } },
  })

export const recentQuery = ({ id: tool }: PageNames) =>
  queryOptions({
    queryKey: ['entries', tool, 'recent'],
    queryFn: () => call('GET /api/v1/:tool/recent', { tool }),
    meta: { quiet: true, about: { topic: tool } },
  })

/** The newest entries, limited to a number that fits below a form. */
export const lastEntriesQuery = ({ id: tool }: PageNames) =>
  queryOptions({
    queryKey: ['entries', tool, 'last'],
    queryFn: async () =>
      (
        await api.get<{ rows: Item[] }>(entryList(tool).path, {
          params: { page: 1, size: 10, sort: 'createdAt', order: 'desc' },
        })
      ).rows,
    meta: { quiet: true, about: { topic: tool, outlastsRuns: true } },
  })

/** Ids of entries deleted in this tab, so that a 404 for them shows no error. */
const deleted = new Set<string>()

export const entryQuery = <Entry extends Detail>({ id: tool }: { id: string }, id: string) =>
  queryOptions({
    queryKey: ['entries', tool, 'entry', id],
    // The shared type has no settings; only the tool's own contract has.
    queryFn: () => call('GET /api/v1/:tool', { tool, id }) as Promise<Entry>,
    meta: { quiet: () => deleted.has(id), about: { topic: tool, id } },
  })

const reloadEntries = (tool: string) => reload({ queryKey: ['entries', tool] })

/** The owner is sent only if one was chosen. */
const bodyOf = ({ owner, ...rest }: Common): Omit<Common, 'owner'> & { owner?: string } =>
  owner ? { ...rest, owner } : rest

export const useCreate = ({ id: tool }: PageNames) =>
  useMutation({
    mutationFn: (values: Values): Promise<Detail> => call('POST /api/v1/:tool/', { tool, ...bodyOf(values) }),
    onSuccess: (entry) => {
      queryClient.setQueryData(entryQuery({ id: tool }, entry.id).queryKey, entry)
      notifySuccess('Successfully created entry.')
      if (entry.warning) notifyWarning(entry.warning)
      void reloadEntries(tool)
    },
  })

export const useChange = ({ id: tool }: PageNames) =>
  useMutation({
    mutationFn: ({ values, ...which }: { id: string; values: Values; ifUpdatedAt: number }) =>
      outcomeOf(call('PATCH /api/v1/:tool', { tool, ...which, ...bodyOf(values) }) as Promise<Detail>),
    onSuccess: (outcome) => {
      const entry = 'saved' in outcome ? outcome.saved : outcome.current
      queryClient.setQueryData(entryQuery({ id: tool }, entry.id).queryKey, entry)
      // Discards a pending response, which may predate this version; also needed after a conflict.
      void reloadEntries(tool)
      if ('current' in outcome) return
      notifySuccess('Successfully updated entry.')
      if (entry.warning) notifyWarning(entry.warning)
    },
  })

export const useSwitch = () =>
  useCall('PATCH /api/v1/:tool', {
    onSuccess: ({ id, updatedAt, status }, { tool }) => {
      noteEdit({ id, updatedAt })
      notifySuccess(status ? 'Entry activated.' : 'Entry paused. Its history is kept.')
      return reloadEntries(tool)
    },
  })

export const useRemove = () =>
  useCall('DELETE /api/v1/:tool', {
    // The live stream may report the deletion before the response arrives.
    onMutate: ({ id }) => void deleted.add(id),
    onError: (_error, { id }) => void deleted.delete(id),
    onSuccess: (_answer, { tool, id }) => {
      notifySuccess('Successfully deleted entry.')
      void queryClient.resetQueries({ queryKey: entryQuery({ id: tool }, id).queryKey })
      return reload({ queryKey: entryList(tool).key })
    },
  })

export const useRunNow = () =>
  useCall('POST /api/v1/:tool/run?id', {
    onSuccess: ({ waitingSince }, { tool }) => {
      if (waitingSince !== null) notifyInfo('Queued. It runs when this host has a free slot.')
      return reloadEntries(tool)
    },
  })

export const entriesSource = (tools: readonly { id: string; label: string }[]): SearchSource => ({
  title: 'Entries',
  async find(text, signal) {
    const { rows } = await call('GET /api/v1/search', { text }, { signal })
    return rows.map(({ id, tool, name, about, status }) => {
      const label = tools.find((one) => one.id === tool)?.label ?? tool
      const details = [...(name === null ? [] : [about]), label, ...(status ? [] : ['Inactive'])]
      return {
        key: id,
        label: titleOf({ name, about }),
        detail: details.filter((detail) => detail !== '').join(' · '),
        to: `/tools/${tool}/modify`,
        search: { id },
      }
    })
  },
})

const older = olderPages(mostIncidents, ({ openedAt }: ListedIncident) => openedAt)

export const openIncidentsQuery = (tools: readonly PageNames[]) =>
  infiniteQueryOptions({
    queryKey: ['incidents', 'open'],
    queryFn: ({ pageParam }) => call('GET /api/v1/incidents', { open: 'true', ...pageParam }),
    ...older,
    meta: { quiet: true, about: { topic: tools.map(({ id }) => id), outlastsRuns: true } },
  })

/** The user's own channels that are notified of an entry's failures. */
export const channelsQuery = (tool: string, id: string) =>
  queryOptions({
    ...callQuery('GET /api/v1/user/channels'),
    select: (channels) =>
      channels.filter(
        ({ status, confirmed, events, tools, entries }) =>
          status &&
          confirmed &&
          events.includes('failing') &&
          (tools?.includes(tool) ?? true) &&
          (entries?.includes(id) ?? true),
      ),
    meta: { quiet: true, about: { topic: 'channel' } },
  })

export const incidentsQuery = ({ id: tool }: PageNames, id: string) =>
  infiniteQueryOptions({
    queryKey: ['incidents', id],
    queryFn: ({ pageParam }) => call('GET /api/v1/incidents', { id, ...pageParam }),
    ...older,
    meta: { quiet: true, about: { topic: tool, id, outlastsRuns: true } },
  })
