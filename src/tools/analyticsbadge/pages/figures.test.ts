import { expect, test } from 'vitest'
import { formatDayMonth, formatViews, lastDays } from './figures.ts'

test('lists the 90 days up to today, with zeros for days without views', () => {
  const now = Date.UTC(2026, 2, 1, 23)
  const recorded = [
    { day: '2025-12-01', views: 9, camo: 9, other: 0 },
    { day: '2025-12-02', views: 1, camo: 0, other: 1 },
    { day: '2026-03-01', views: 5, camo: 3, other: 2 },
  ]
  const all = lastDays(recorded, now)
  expect(all).toHaveLength(90)
  expect([all[0], all[1], all[89]]).toEqual([
    recorded[1],
    { day: '2025-12-03', views: 0, camo: 0, other: 0 },
    recorded[2],
  ])
})

test('formats days and view counts for display', () => {
  expect([formatDayMonth('2026-03-01'), formatViews(1), formatViews(0), formatViews(1_234)]).toEqual([
    '01/03',
    '1 view',
    '0 views',
    '1,234 views',
  ])
})
