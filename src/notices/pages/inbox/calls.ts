import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../../../ui/data/call.ts'

/** Items in a page; repeated here so that the bell needn't load the contract. */
const pageSize = 50

type Older = { before?: number }
const newest: Older = {}

export const inboxQuery = infiniteQueryOptions({
  queryKey: ['inbox'],
  queryFn: ({ pageParam }) => call('GET /api/v1/user/inbox', pageParam),
  initialPageParam: newest,
  getNextPageParam: ({ items }) => {
    const oldest = items.at(-1)
    return oldest && items.length >= pageSize ? { before: oldest.at } : undefined
  },
  select: ({ pages }) => ({ unread: pages[0]?.unread ?? 0, items: pages.flatMap(({ items }) => items) }),
  meta: { about: { topic: 'inbox' }, quiet: true },
})
