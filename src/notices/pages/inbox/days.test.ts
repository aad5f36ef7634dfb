import { expect, test } from 'vitest'
import { groupByDay } from './days.ts'

const item = (at: Date) => ({
  ...({ id: String(at.getTime()), type: 'account', message: '', entry: null, readAt: null } as const),
  at: at.getTime(),
})

test('groups items by calendar day, even across a change to summer time', () => {
  const now = new Date(2026, 2, 30, 0, 30)
  const times = [now, new Date(2026, 2, 29, 23, 59), new Date(2026, 2, 29, 0, 0), new Date(2026, 2, 28, 23, 59)]
  expect(groupByDay(times.map(item), now).map(({ day, items }) => [day, items.length])).toEqual([
    ['Today', 1],
    ['Yesterday', 2],
    ['28/03/2026', 1],
  ])
  expect(groupByDay([], now)).toEqual([])
})
