import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { minutes } from '../../shared/time.ts'
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

test.each(['active', 'inactive'])('a reload discards the pending response of an %s query', async (kind) => {
  const key = ['entries', kind]
  const entryKey = [...key, 'entry']
  const old = Promise.withResolvers<string>()
  const answers = [old.promise, Promise.resolve('new')]
  const entry = { queryKey: entryKey, queryFn: () => answers.shift() }
  const first = Promise.withResolvers<string>()
  queryClient.setQueryData(entryKey, 'shown')
  const stops = [
    new QueryObserver(queryClient, { queryKey: [...key, 'recent'], queryFn: () => first.promise }).subscribe(() => {}),
    ...(kind === 'active' ? [new QueryObserver(queryClient, entry).subscribe(() => {})] : []),
  ]
  const seen: unknown[] = []
  stops.push(queryClient.getQueryCache().subscribe(() => seen.push(queryClient.getQueryData(entryKey))))
  void queryClient.prefetchQuery({ ...entry, staleTime: 0 })
  queryClient.setQueryData(entryKey, 'saved')
  const reloaded = reload({ queryKey: key })
  old.resolve('old')
  await old.promise
  // Even while the first response of another query is pending.
  if (kind === 'active') await expect.poll(() => queryClient.getQueryData(entryKey)).toBe('new')
  first.resolve('first')
  await reloaded
  expect(await queryClient.fetchQuery({ ...entry, staleTime: minutes(1) })).toBe('new')
  expect(seen).not.toContain('old')
  for (const stop of stops) stop()
})
