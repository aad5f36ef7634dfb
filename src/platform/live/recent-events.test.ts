import { expect, test } from 'vitest'
import { seconds } from '../../shared/time.ts'
import type { LiveEvent } from './events.ts'
import { recentEvents } from './live-streams.ts'

const event = (data: unknown): LiveEvent => ({ type: 'run', to: { everyone: true }, data })

function recent(most?: number) {
  let elapsed = 0
  const { add, forget, of } = recentEvents(() => elapsed, most)
  const after = (milliseconds: number) => {
    elapsed += milliseconds
  }
  return {
    after,
    forget,
    add: (data: unknown) => add(event(data)),
    of: (time: number) => of(time)?.map(({ data }) => data),
  }
}

test('returns the events of a time in order, and none from before', () => {
  const { after, add, of } = recent()
  for (const n of [1, 2, 3]) {
    after(1_000)
    add(n)
  }
  expect([of(500), of(1_500), of(2_500)]).toEqual([[3], [2, 3], [1, 2, 3]])
})

test('returns undefined for a time from before it began', () => {
  const { after, of } = recent()
  after(1_000)
  expect([of(999), of(1_000)]).toEqual([[], undefined])
})

test('forgets events after ten seconds', () => {
  const { after, add, of } = recent()
  after(1)
  add('old')
  after(seconds(11))
  add('new')
  expect([of(seconds(10)), of(seconds(12))]).toEqual([['new'], undefined])
})

test('keeps only the latest events, and returns undefined for a time with dropped ones', () => {
  const { after, add, of } = recent(2)
  for (const n of [1, 2, 3]) {
    after(100)
    add(n)
  }
  expect([of(150), of(199), of(250)]).toEqual([[2, 3], [2, 3], undefined])
})

test('returns undefined for a time from before a gap', () => {
  const { after, add, forget, of } = recent()
  after(1_000)
  add('before')
  forget()
  after(100)
  add('after')
  after(100)
  expect([of(199), of(200)]).toEqual([['after'], undefined])
})
