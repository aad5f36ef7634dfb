import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  skipToken,
  useMutation,
  useQuery,
} from '@tanstack/react-query'
import type { EntryOf, SettingsOf } from '../../../entries/contract.ts'
import { entryQuery } from '../../../entries/pages/calls.ts'
import type { Common, Detail } from '../../../entries/pages/tool-pages.ts'
import { call, callQuery, type Input, reload, useCall } from '../../../ui/data/call.ts'
import { queryClient } from '../../../ui/data/query.ts'
import { noteEdit } from '../../../ui/form/conflict/edits.ts'
import { notifyInfo, notifySuccess, notifyWarning } from '../../../ui/toasts.ts'
import { type Delivery, type DeliveryState, herokudiscordwebhook } from '../contract.ts'
import { eventCount, testNotice } from './delivery-labels.ts'

export type Relay = EntryOf<typeof herokudiscordwebhook> & Detail
export type Settings = SettingsOf<typeof herokudiscordwebhook>
export type Values = Settings & Common
export type Filter = Settings['filter']

const { id: tool } = herokudiscordwebhook

const reloadRelays = () => reload({ queryKey: ['entries', tool] })

export const useSaved = (id: string | undefined): Relay | undefined =>
  useQuery({ ...entryQuery<Relay>(herokudiscordwebhook, id ?? ''), enabled: id !== undefined }).data

/** Generates a new secret; settles once the entry has been reloaded. */
export const useNewSecret = () =>
  useCall('POST /api/v1/herokudiscordwebhook/secret?id', {
    onSuccess: ({ updatedAt }, { id }) => {
      noteEdit({ id, updatedAt })
      return reloadRelays()
    },
  })

export const useReplace = () =>
  useMutation({
    mutationFn: async (to: { id: string; discordHook: string }) => {
      const { warning, ...replaced }: Detail = await call('PATCH /api/v1/:tool', { tool, ...to })
      noteEdit(replaced)
      const { count } = await call('POST /api/v1/herokudiscordwebhook/deliveries/replay', { id: to.id, state: 'held' })
      return { warning, count }
    },
    onSuccess: ({ warning, count }) => {
      notifySuccess(`Webhook URL replaced. ${count === 0 ? 'No events were held.' : `Replaying ${eventCount(count)}.`}`)
      if (warning) notifyWarning(warning)
      return reloadRelays()
    },
  })

/** The preview of a message. Disabled without a body; shows the previous preview while loading. */
export const previewQuery = (body: Input<'POST /api/v1/herokudiscordwebhook/preview'> | undefined) =>
  queryOptions({
    queryKey: ['entries', tool, 'preview', body],
    queryFn: body ? () => call('POST /api/v1/herokudiscordwebhook/preview', body) : skipToken,
    placeholderData: keepPreviousData,
    // The preview of a saved entry shows its last event, so it changes with the entry.
    meta: { quiet: true, ...(body?.id !== undefined && { about: { topic: tool, id: body.id } }) },
  })

/** The filters of an entry's log. Times are epoch milliseconds; `before` is exclusive. */
type Query = Span & { state?: DeliveryState | 'run'; search?: string }
export type Span = { since?: number | undefined; before?: number | undefined }

const pageSize = 50
const newest: { before?: number | string } = {}

export const deliveriesQuery = (id: string, query: Query = {}) =>
  infiniteQueryOptions({
    queryKey: ['entries', tool, 'deliveries', id, query],
    queryFn: ({ pageParam, signal }) => {
      const input = { id, ...query, size: pageSize, ...pageParam }
      return call('GET /api/v1/herokudiscordwebhook/deliveries', input, { signal })
    },
    initialPageParam: newest,
    getNextPageParam: (page: Delivery[]) => {
      const oldest = page.at(-1)
      return oldest && page.length === pageSize ? { before: oldest.id } : undefined
    },
    select: ({ pages }) => pages.flat(),
    placeholderData: keepPreviousData,
    // The entry's own query shows the error.
    meta: { quiet: true, about: { topic: tool, id } },
  })

export const deliveryQuery = (id: string, delivery: string) =>
  queryOptions({
    ...callQuery('GET /api/v1/herokudiscordwebhook/delivery', { id, delivery }),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { quiet: true },
  })

export const useReplay = () =>
  useCall('POST /api/v1/herokudiscordwebhook/deliveries/replay', {
    onSuccess: ({ count }) => {
      if (count === 0) notifyInfo('Nothing left to replay.')
      else notifySuccess(`Replaying ${eventCount(count)}.`)
      return reloadRelays()
    },
  })

export const useSendTest = () =>
  useCall('POST /api/v1/herokudiscordwebhook/test?id', {
    onSuccess: async (_answer, { id }) => {
      await reloadRelays()
      const relay = queryClient.getQueryData(entryQuery<Relay>(herokudiscordwebhook, id).queryKey)
      // The test message is the last one waiting, unless it is sent already.
      notifyInfo(testNotice(Math.max(0, (relay?.waiting ?? 0) - 1)))
    },
  })
