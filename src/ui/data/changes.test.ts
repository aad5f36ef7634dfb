import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CallError } from './api.ts'
import { type ChangeTopics, gatherChanges } from './changes.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A screen with these queries, and how often each was requested. `show` adds one with its own answer. */
async function screen(queries: Record<string, ChangeTopics> = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: 5_000, retry: false } } })
  const requests: Record<string, number> = {}
  const show = (name: string, answer: () => unknown = () => name, about: ChangeTopics = { topic: 'keepalive' }) => {
    const queryFn = () => {
      requests[name] = (requests[name] ?? 0) + 1
      return answer()
    }
    const observer = new QueryObserver(client, { queryKey: [name], queryFn, meta: { about } })
    observer.subscribe(() => {})
    return observer
  }
  for (const [name, about] of Object.entries(queries)) show(name, undefined, about)
  await vi.advanceTimersByTimeAsync(0)
  return { client, requests, show, changes: gatherChanges(client) }
}
/** Fails like a call with this status, or without a response. */
const fail = (status?: number) => {
  throw new CallError('failed', status === undefined ? undefined : { status, data: null })
}
const row = (id: string, edited = false) => ({ ids: [id], edited })
const many = { ids: undefined, edited: false }

test('a changed row reloads only the queries about that row or its whole topic', async () => {
  const { requests, changes } = await screen({
    a: { topic: 'keepalive', id: 'a' },
    b: { topic: 'keepalive', id: 'b' },
    figures: { topic: 'keepalive' },
    others: { topic: 'ghmdinvalidator' },
  })
  changes.add('keepalive', row('a'))
  await vi.advanceTimersByTimeAsync(250)
  expect(requests).toEqual({ a: 2, b: 1, figures: 2, others: 1 })
  changes.add('keepalive', many)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(requests).toEqual({ a: 3, b: 2, figures: 3, others: 1 })
})

test('frequent changes cause one update every two seconds', async () => {
  const { requests, changes } = await screen({ figures: { topic: 'keepalive' } })
  for (let index = 0; index < 30; index += 1) {
    changes.add('keepalive', row(String(index)))
    await vi.advanceTimersByTimeAsync(200)
  }
  // At 250, 2250 and 4250 ms.
  expect(requests).toEqual({ figures: 4 })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(requests).toEqual({ figures: 5 })
})

test.each([
  [30, 31],
  [50, 16],
  [200, 6],
])('a constantly changing list of %i rows is loaded %i times a minute', async (rows, times) => {
  const { requests, show, changes } = await screen()
  show('list', () => ({ rows: Array(rows).fill('row'), total: rows }))
  await vi.advanceTimersByTimeAsync(0)
  for (let second = 0; second < 60; second += 1) {
    changes.add('keepalive', many)
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(requests.list).toBe(times)
})

test('a change during a request causes another request afterwards', async () => {
  const { requests, show, changes } = await screen()
  const first = Promise.withResolvers<string>()
  const answers = [first.promise, new Promise(() => {})]
  const observer = show('a', () => answers.shift())
  changes.add('keepalive', many)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(requests).toEqual({ a: 1 })
  first.resolve('of before')
  await vi.advanceTimersByTimeAsync(2_000)
  expect([requests, observer.getCurrentResult().data]).toEqual([{ a: 2 }, 'of before'])
})

test('a query requested before a change and shown after it is requested again', async () => {
  const { client, changes } = await screen({})
  const { promise, resolve } = Promise.withResolvers<string>()
  const requests: Record<string, number> = { fetched: 0, preloaded: 0 }
  const optionsOf = (name: string, answer: Promise<string> | string) => ({
    queryKey: [name],
    queryFn: () => {
      requests[name] = (requests[name] ?? 0) + 1
      return answer
    },
    staleTime: 60_000,
    meta: { about: { topic: 'keepalive' } },
  })
  const show = (name: string) => new QueryObserver(client, optionsOf(name, 'new')).subscribe(() => {})
  const fetching = client.prefetchQuery(optionsOf('fetched', promise))
  changes.add('keepalive', row('a'))
  await vi.advanceTimersByTimeAsync(1_000)
  resolve('of before')
  await fetching
  // The browser may have the response before the app requests it.
  await client.prefetchQuery(optionsOf('preloaded', 'of before'))
  await vi.advanceTimersByTimeAsync(2_000)
  show('fetched')
  show('preloaded')
  await vi.advanceTimersByTimeAsync(2_000)
  expect(requests).toEqual({ fetched: 2, preloaded: 2 })
  // By then, no response can predate the change.
  await vi.advanceTimersByTimeAsync(10_000)
  show('late')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(requests.late).toBe(1)
})

test('a query that is not on screen is only marked as outdated, even a long list', async () => {
  const { client, requests, changes } = await screen({})
  await client.prefetchQuery({
    queryKey: ['rows'],
    queryFn: () => ({ rows: Array(200).fill('row') }),
    meta: { about: { topic: 'keepalive' } },
  })
  for (const time of [250, 2_000]) {
    changes.add('keepalive', row('a'))
    await vi.advanceTimersByTimeAsync(time)
    expect(client.getQueryState(['rows'])?.isInvalidated).toBe(true)
  }
  expect(requests).toEqual({})
})

test('a query that outlasts runs is reloaded after an edit, not after a run', async () => {
  const { requests, changes } = await screen({ figures: { topic: 'keepalive', outlastsRuns: true } })
  changes.add('keepalive', row('a'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(requests).toEqual({ figures: 1 })
  changes.add('keepalive', row('a', true))
  changes.add('keepalive', row('b'))
  await vi.advanceTimersByTimeAsync(2_000)
  expect(requests).toEqual({ figures: 2 })
})

test('a query due for a reload after a change is not requested again once it has been refused', async () => {
  const { requests, show, changes } = await screen()
  changes.add('keepalive', many)
  const refuseAfter = (wait: number) => () => new Promise((answer) => setTimeout(answer, wait)).then(() => fail(409))
  show('asking', refuseAfter(1_000))
  await vi.advanceTimersByTimeAsync(1_000)
  show('added', refuseAfter(100))
  await vi.advanceTimersByTimeAsync(10_000)
  expect(requests).toEqual({ added: 1, asking: 1 })
})

test('makes no more requests once stopped', async () => {
  const { requests, changes } = await screen({ figures: { topic: 'keepalive' } })
  changes.add('keepalive', row('a'))
  changes.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(requests).toEqual({ figures: 1 })
})

test('a refused query is not requested again, unless it was answered before', async () => {
  const { requests, show, changes } = await screen()
  const answers = ['an answer']
  show('refused', () => fail(409))
  show('answered', () => answers.shift() ?? fail(404))
  show('failed', () => fail(503))
  show('unreachable', () => fail())
  await vi.advanceTimersByTimeAsync(0)
  for (const time of [250, 2_000]) {
    changes.add('keepalive', { ids: undefined, edited: true })
    await vi.advanceTimersByTimeAsync(time)
  }
  expect(requests).toEqual({ refused: 1, answered: 3, failed: 3, unreachable: 3 })
})
