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

test('a reload during the first request of one query still discards an older response of another', async () => {
  const key = ['entries', 'keepalive']
  const observe = (part: string, queryFn: () => unknown) =>
    new QueryObserver(queryClient, { queryKey: [...key, part], queryFn }).subscribe(() => {})
  queryClient.setQueryData([...key, 'entry'], 'shown')
  const old = Promise.withResolvers<string>()
  const answers = [old.promise, Promise.resolve('new')]
  const first = Promise.withResolvers<string>()
  const stops = [observe('entry', () => answers.shift()), observe('recent', () => first.promise)]
  void queryClient.invalidateQueries({ queryKey: [...key, 'entry'] })
  queryClient.setQueryData([...key, 'entry'], 'saved')
  const reloaded = reload({ queryKey: key })
  old.resolve('old')
  await expect.poll(() => queryClient.getQueryData([...key, 'entry'])).toBe('new')
  first.resolve('first')
  await reloaded
  for (const stop of stops) stop()
})
