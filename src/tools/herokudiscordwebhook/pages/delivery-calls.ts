import { infiniteQueryOptions, keepPreviousData, queryOptions, skipToken, useMutation } from '@tanstack/react-query'
import type * as z from 'zod/mini'
import { api } from '../../../ui/data/api.ts'
import { inform, succeed } from '../../../ui/toasts.ts'
import {
  type Delivery,
  type DeliveryDetail,
  type DeliveryState,
  herokudiscordwebhook,
  type Preview,
  type PreviewBody,
  type ReplayAnswer,
  type ReplayBody,
} from '../contract.ts'
import { useFresh } from './calls.ts'
import { eventCount } from './delivery-labels.ts'

const { id: tool, path } = herokudiscordwebhook

/** The message of an event; asks nothing without a body, and shows the previous one while loading. */
export const previewQuery = (body: z.infer<typeof PreviewBody> | undefined) =>
  queryOptions({
    queryKey: ['entries', tool, 'preview', body],
    queryFn: body ? async () => (await api.post<Preview>(`${path}/preview`, body)).data : skipToken,
    placeholderData: keepPreviousData,
    // The last event of a saved entry is the example.
    meta: { quiet: true, ...(body?.id !== undefined && { about: { topic: tool, id: body.id } }) },
  })

/** What is asked of an entry's log; times are epoch milliseconds, `before` is no longer within. */
type Asked = Span & { state?: DeliveryState; search?: string }
export type Span = { since?: number; before?: number }

const pageSize = 50
const newest: { before?: number | string } = {}

/** Deliveries of an entry, newest first, page by page. */
export const deliveriesQuery = (id: string, asked: Asked = {}) =>
  infiniteQueryOptions({
    queryKey: ['entries', tool, 'deliveries', id, asked],
    queryFn: async ({ pageParam, signal }) => {
      const params = { id, ...asked, size: pageSize, ...pageParam }
      return (await api.get<Delivery[]>(`${path}/deliveries`, { params, signal })).data
    },
    initialPageParam: newest,
    getNextPageParam: (page) => {
      const oldest = page.at(-1)
      return oldest && page.length === pageSize ? { before: oldest.id } : undefined
    },
    select: ({ pages }) => pages.flat(),
    placeholderData: keepPreviousData,
    // The entry's own query shows the error.
    meta: { quiet: true, about: { topic: tool, id } },
  })

/** A delivery with its stored event, which never changes. */
export const deliveryQuery = (id: string, delivery: string) =>
  queryOptions({
    queryKey: ['delivery', id, delivery],
    queryFn: async () =>
      (await api.get<z.infer<typeof DeliveryDetail>>(`${path}/delivery`, { params: { id, delivery } })).data,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { quiet: true },
  })

/** Replays deliveries and says how many. */
export function useReplay(id: string) {
  const fresh = useFresh()
  return useMutation({
    mutationFn: async (which: Omit<ReplayBody, 'id'>) =>
      (await api.post<z.infer<typeof ReplayAnswer>>(`${path}/deliveries/replay`, { id, ...which })).data,
    onSuccess: ({ count }) => {
      if (count === 0) inform('Nothing left to replay.')
      else succeed(`Replaying ${eventCount(count)}.`)
      return fresh()
    },
  })
}

export function useSendTest(id: string) {
  const fresh = useFresh()
  return useMutation({
    mutationFn: () => api.post(`${path}/test`, undefined, { params: { id } }),
    onSuccess: () => {
      inform('Test message sent.')
      return fresh()
    },
  })
}
