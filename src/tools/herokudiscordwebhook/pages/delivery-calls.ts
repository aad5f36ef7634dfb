import { infiniteQueryOptions, keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query'
import { call, type Input, read, useCall } from '../../../ui/data/call.ts'
import { inform, succeed } from '../../../ui/toasts.ts'
import { type Delivery, type DeliveryState, herokudiscordwebhook } from '../contract.ts'
import { reloadRelays } from './calls.ts'
import { eventCount } from './delivery-labels.ts'

const { id: tool } = herokudiscordwebhook

/** The message of an event; asks nothing without a body, and shows the previous one while loading. */
export const previewQuery = (body: Input<'POST /api/v1/herokudiscordwebhook/preview'> | undefined) =>
  queryOptions({
    queryKey: ['entries', tool, 'preview', body],
    queryFn: body ? () => call('POST /api/v1/herokudiscordwebhook/preview', body) : skipToken,
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
    queryFn: ({ pageParam, signal }) => {
      const input = { id, ...asked, size: pageSize, ...pageParam }
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

/** A delivery with its stored event, which never changes. */
export const deliveryQuery = (id: string, delivery: string) =>
  queryOptions({
    ...read('GET /api/v1/herokudiscordwebhook/delivery', { id, delivery }),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { quiet: true },
  })

/** Replays deliveries and says how many. */
export const useReplay = () =>
  useCall('POST /api/v1/herokudiscordwebhook/deliveries/replay', {
    onSuccess: ({ count }) => {
      if (count === 0) inform('Nothing left to replay.')
      else succeed(`Replaying ${eventCount(count)}.`)
      return reloadRelays()
    },
  })

export const useSendTest = () =>
  useCall('POST /api/v1/herokudiscordwebhook/test?id', {
    onSuccess: () => {
      inform('Test message sent.')
      return reloadRelays()
    },
  })
