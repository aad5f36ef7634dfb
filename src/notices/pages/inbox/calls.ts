import { infiniteQueryOptions, useMutation } from '@tanstack/react-query'
import { api } from '../../../ui/data/api.ts'
import { queryClient } from '../../../ui/data/query.ts'
import type { Inbox } from '../../contract.ts'

const path = '/api/v1/user/inbox'
/** Of a page; kept here so that the bell needs no contract. */
const pageSize = 50

type Older = { before?: number }
const newest: Older = {}

/** The user's inbox as far as it was asked for, and how much of all of it is unread. */
export const inboxQuery = infiniteQueryOptions({
  queryKey: ['inbox'],
  queryFn: async ({ pageParam: params }) => (await api.get<Inbox>(path, { params })).data,
  initialPageParam: newest,
  getNextPageParam: ({ items }) => {
    const oldest = items.at(-1)
    return oldest && items.length >= pageSize ? { before: oldest.at } : undefined
  },
  select: ({ pages }) => ({ unread: pages[0]?.unread ?? 0, items: pages.flatMap(({ items }) => items) }),
  meta: { about: { topic: 'inbox' }, quiet: true },
})

type Shown = { until: number; ids: readonly string[] }

/** Marks everything up to an instant as read; these are on screen. */
export const useMarkRead = (onMutate: (shown: Shown) => void) =>
  useMutation({
    mutationFn: ({ until }: Shown) => api.post(`${path}/read`, { until }),
    onMutate,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: inboxQuery.queryKey }),
    meta: { quiet: true },
  })
