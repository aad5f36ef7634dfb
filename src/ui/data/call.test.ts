import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { loadOlder, reload } from './call.ts'
import { queryClient } from './query.ts'

test('loading older rows does not cancel a refresh in progress', async () => {
  const client = new QueryClient()
  let newest = Promise.resolve('first')
  const observer = new InfiniteQueryObserver(client, {
    queryKey: ['runs'],
    queryFn: ({ pageParam }: { pageParam: number }) => (pageParam === 0 ? newest : Promise.resolve('older')),
    initialPageParam: 0,
    getNextPageParam: (_page, pages) => pages.length,
  })
  const stop = observer.subscribe(() => {})
  await observer.refetch({ cancelRefetch: false })
  const { promise, resolve } = Promise.withResolvers<string>()
  newest = promise
  void client.invalidateQueries({ queryKey: ['runs'] })
  const { isRefetching, refetch, fetchNextPage } = observer.getCurrentResult()
  const loaded = loadOlder({ isRefetching, refetch, fetchNextPage })
  resolve('first, changed')
  await loaded
  stop()
  expect(observer.getCurrentResult().data?.pages).toEqual(['first, changed', 'older'])
})

test('a reload during the first request runs after that request', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const answers = [promise, Promise.resolve('of afterwards')]
  const observer = new QueryObserver(queryClient, { queryKey: ['badges'], queryFn: () => answers.shift() })
  const stop = observer.subscribe(() => {})
  const reloaded = reload({ queryKey: ['badges'] })
  resolve('of before')
  await reloaded
  stop()
  expect(observer.getCurrentResult().data).toBe('of afterwards')
})
