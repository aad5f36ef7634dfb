import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createFollower } from './follower.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const queryKey = ['list']
const rowsOf = (ids: readonly string[]) => ids.map((id) => ({ id }))
const page = { queryKey, rows: rowsOf(['a', 'b', 'c']), areAll: false }
const changed = (...ids: string[]) => ({ ids, counts: false, edited: false })

function follower(answer: (ids: readonly string[]) => Promise<boolean> = async () => true) {
  const asked: (readonly string[])[] = []
  let refreshed = 0
  const keys: unknown[] = []
  const { follow } = createFollower({
    replace: (key, ids) => {
      keys.push(key)
      asked.push(ids)
      return answer(ids)
    },
    refresh: () => {
      refreshed += 1
    },
  })
  return { asked, keys, follow, refreshed: () => refreshed }
}

describe('when rows change', () => {
  it('asks for those that are on screen, and for no other', () => {
    const { asked, follow, refreshed } = follower()
    follow(changed('b', 'x'), page)
    follow(changed('y', 'z'), page)
    expect(asked).toEqual([['b']])
    expect(refreshed()).toBe(0)
  })
  it('asks for all on screen if they are too many to be named', () => {
    const { asked, follow } = follower()
    follow({ ids: null, counts: false, edited: false }, page)
    expect(asked).toEqual([['a', 'b', 'c']])
  })
  it('makes one call at a time, and the next for all that changed meanwhile', async () => {
    const first = Promise.withResolvers<boolean>()
    const { asked, follow } = follower((ids) => (ids[0] === 'a' ? first.promise : Promise.resolve(true)))
    follow(changed('a'), page)
    follow(changed('b'), page)
    follow(changed('b', 'c'), page)
    expect(asked).toEqual([['a']])
    first.resolve(true)
    await vi.waitFor(() => expect(asked).toEqual([['a'], ['b', 'c']]))
  })
  it('puts rows of the next page in that page, though a call for the page before is under way', async () => {
    const first = Promise.withResolvers<boolean>()
    const { asked, keys, follow } = follower((ids) => (ids[0] === 'a' ? first.promise : Promise.resolve(true)))
    follow(changed('a'), page)
    follow(changed('k'), { queryKey: ['next'], rows: rowsOf(['k']), areAll: false })
    first.resolve(true)
    await vi.waitFor(() => expect(asked).toEqual([['a'], ['k']]))
    expect(keys).toEqual([queryKey, ['next']])
  })
  it('goes on after a call that failed', async () => {
    const { asked, follow } = follower(() => Promise.reject(new Error('Network Error')))
    follow(changed('a'), page)
    await vi.advanceTimersByTimeAsync(0)
    follow(changed('b'), page)
    expect(asked).toEqual([['a'], ['b']])
  })
})

describe('when rows come or go', () => {
  it('asks the whole question again, at once and then every five seconds at most', () => {
    const { follow, refreshed } = follower()
    const came = { ids: ['new'], counts: true, edited: true }
    follow(came, page)
    follow(came, page)
    follow(came, page)
    expect(refreshed()).toBe(1)
    vi.advanceTimersByTime(4_999)
    expect(refreshed()).toBe(1)
    vi.advanceTimersByTime(1)
    expect(refreshed()).toBe(2)
    vi.advanceTimersByTime(60_000)
    expect(refreshed()).toBe(2)
  })
  it('notices it by a row that is no longer there', async () => {
    const { follow, refreshed } = follower(async () => false)
    follow(changed('a'), page)
    await vi.advanceTimersByTimeAsync(0)
    expect(refreshed()).toBe(1)
  })
  it('notices it by an unknown row if all rows are here', () => {
    const { follow, refreshed } = follower()
    follow(changed('x'), { ...page, areAll: true })
    expect(refreshed()).toBe(1)
  })
  it('knows a row by the beginning of its id', () => {
    const { asked, follow, refreshed } = follower()
    follow(changed('01234567'), { queryKey, rows: rowsOf(['01234567-a', '89abcdef-b']), areAll: true })
    expect([asked, refreshed()]).toEqual([[['01234567-a']], 0])
  })
  it('notices it by an edit if rows come and go by edits', () => {
    const { follow, refreshed } = follower()
    follow({ ...changed('x'), edited: true }, page)
    expect(refreshed()).toBe(0)
    follow(changed('x'), { ...page, isByEdits: true })
    expect(refreshed()).toBe(0)
    follow({ ...changed('x'), edited: true }, { ...page, isByEdits: true })
    expect(refreshed()).toBe(1)
  })
  it('does so as well instead of asking for more rows than one call answers', () => {
    const { asked, follow, refreshed } = follower()
    const ids = Array.from({ length: 51 }, (_, index) => String(index))
    follow(changed(...ids), { queryKey, rows: rowsOf(ids), areAll: true })
    expect([asked, refreshed()]).toEqual([[], 1])
  })
})
