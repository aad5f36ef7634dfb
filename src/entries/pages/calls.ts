import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { mostIncidents } from '../../shared/incidents.ts'
import { titleOf } from '../../shared/title.ts'
import { api } from '../../ui/data/api.ts'
import { call } from '../../ui/data/call.ts'
import { prefetchForUser } from '../../ui/data/session.ts'
import { sendEdit } from '../../ui/form/conflict/edits.ts'
import type { SearchSource } from '../../ui/search/hits.ts'
import { firstQuery, type ServerList } from '../../ui/table/rows/use-rows.ts'
import { inform, succeed, warn } from '../../ui/toasts.ts'
import type { Incident } from '../contract.ts'
import type { Common, Detail, Item, PageNames } from './tool-pages.ts'

/** The entries of a tool that the user may see. */
export const entryList = (tool: string): ServerList => ({
  key: ['entries', tool, 'list'],
  path: `/api/v1/${tool}/list`,
  topic: tool,
})

export const loadList = (tool: string) => prefetchForUser(firstQuery(entryList(tool)))

export type Figures = { active: number; inactive: number; failing: number; blocked: number }

/** How many of a tool's entries that the user may see, or owns, are active, and how many fail or are blocked. */
export const figuresQuery = (tool: PageNames, mine?: true) =>
  queryOptions({
    queryKey: ['entries', tool.id, 'figures', { mine }],
    queryFn: async () => (await api.get<Figures>(`${tool.path}/figures`, { params: { mine } })).data,
    meta: { quiet: true, about: { topic: tool.id, outlastsRuns: true } },
  })

/** The entries that ran last, the newest run first. */
export const recentQuery = (tool: PageNames) =>
  queryOptions({
    queryKey: ['entries', tool.id, 'recent'],
    queryFn: async () => (await api.get<{ rows: Item[] }>(`${tool.path}/recent`)).data.rows,
    meta: { quiet: true, about: { topic: tool.id } },
  })

/** The newest entries, as many as fit below a form. */
export const lastEntriesQuery = (tool: PageNames) =>
  queryOptions({
    queryKey: ['entries', tool.id, 'last'],
    queryFn: async () =>
      (await api.get<{ rows: Item[] }>(`${tool.path}/list`, { params: { page: 1, size: 10 } })).data.rows,
    meta: { quiet: true, about: { topic: tool.id, outlastsRuns: true } },
  })

/** Entries deleted here, so that a 404 about them shows no error. */
const deleted = new Set<string>()

export const entryQuery = <Entry extends Detail>(tool: PageNames, id: string) =>
  queryOptions({
    queryKey: ['entries', tool.id, 'entry', id],
    queryFn: async () => (await api.get<Entry>(tool.path, { params: { id } })).data,
    meta: { quiet: () => deleted.has(id), about: { topic: tool.id, id } },
  })

const useFresh = (tool: PageNames) => {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: ['entries', tool.id] })
}

/** The owner is sent only if one was chosen. */
const bodyOf = <Settings extends object>({ owner, ...rest }: Settings & Common) => (owner ? { ...rest, owner } : rest)

export function useCreate<Settings extends object>(tool: PageNames) {
  const client = useQueryClient()
  const fresh = useFresh(tool)
  return useMutation({
    mutationFn: async (values: Settings & Common) => (await api.post<Detail>(`${tool.path}/`, bodyOf(values))).data,
    onSuccess: (entry) => {
      client.setQueryData(entryQuery(tool, entry.id).queryKey, entry)
      succeed('Successfully created entry.')
      if (entry.warning) warn(entry.warning)
      void fresh()
    },
  })
}

export function useChange<Settings extends object, Entry extends Detail>(tool: PageNames) {
  const client = useQueryClient()
  const fresh = useFresh(tool)
  return useMutation({
    mutationFn: ({ id, values, ifUpdatedAt }: { id: string; values: Settings & Common; ifUpdatedAt: number }) =>
      sendEdit<Entry>(tool.path, { id, ifUpdatedAt, ...bodyOf(values) }),
    onSuccess: (outcome) => {
      const entry = 'saved' in outcome ? outcome.saved : outcome.current
      client.setQueryData(entryQuery<Entry>(tool, entry.id).queryKey, entry)
      if ('current' in outcome) return
      succeed('Successfully updated entry.')
      if (entry.warning) warn(entry.warning)
      void fresh()
    },
  })
}

export function useRemove(tool: PageNames) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => api.delete(tool.path, { params: { id } }),
    // The live stream may tell of it before the answer does.
    onMutate: (id) => void deleted.add(id),
    onError: (_error, id) => void deleted.delete(id),
    onSuccess: (_answer, id) => {
      succeed('Successfully deleted entry.')
      void client.resetQueries({ queryKey: entryQuery(tool, id).queryKey })
      return client.invalidateQueries({ queryKey: entryList(tool.id).key })
    },
  })
}

export function useRunNow(tool: PageNames) {
  const fresh = useFresh(tool)
  return useMutation({
    mutationFn: (id: string) =>
      api.post<{ waitingSince: number | null }>(`${tool.path}/run`, undefined, { params: { id } }),
    onSuccess: ({ data }) => {
      if (data.waitingSince !== null) inform('Queued. It runs when this host has a free slot.')
      return fresh()
    },
  })
}

/** Searches the entries of these tools. */
export const entriesSource = (tools: readonly { id: string; label: string }[]): SearchSource => ({
  title: 'Entries',
  async find(text, signal) {
    const { rows } = await call('GET /api/v1/search', { text }, { signal })
    return rows.map(({ id, tool, name, about, status }) => {
      const label = tools.find((one) => one.id === tool)?.label ?? tool
      const details = [...(name === null ? [] : [about]), label, ...(status ? [] : ['Inactive'])]
      return {
        key: id,
        label: titleOf({ id, name, about }),
        detail: details.filter((detail) => detail !== '').join(' · '),
        to: `/tools/${tool}/modify`,
        search: { id },
      }
    })
  },
})

type Older = { before?: number }
const newest: Older = {}

/** As far as they were asked for, the newest first. */
const pagesOf = (which: { open: true } | { id: string }) => ({
  queryFn: async ({ pageParam }: { pageParam: Older }) =>
    (await api.get<Incident[]>('/api/v1/incidents', { params: { ...which, ...pageParam } })).data,
  initialPageParam: newest,
  getNextPageParam: (page: Incident[]) => {
    const last = page.at(-1)
    return last && page.length >= mostIncidents ? { before: last.openedAt } : undefined
  },
  select: ({ pages }: { pages: Incident[][] }) => pages.flat(),
})

/** The incidents that go on, of the entries that the user may see; the newest first. */
export const openIncidentsQuery = (tools: readonly PageNames[]) =>
  infiniteQueryOptions({
    queryKey: ['incidents', 'open'],
    ...pagesOf({ open: true }),
    meta: { quiet: true, about: { topic: tools.map(({ id }) => id), outlastsRuns: true } },
  })

/** The incidents of an entry, the newest first. */
export const incidentsQuery = (tool: PageNames, id: string) =>
  infiniteQueryOptions({
    queryKey: ['incidents', id],
    ...pagesOf({ id }),
    meta: { quiet: true, about: { topic: tool.id, id, outlastsRuns: true } },
  })
