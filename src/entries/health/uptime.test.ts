import { expect, test } from 'vitest'
import { dayOf, days, hours, minutes } from '../../shared/time.ts'
import { uptimeOf } from './uptime.ts'

const now = Date.UTC(2026, 10, 22, 12)
const run = (ago: number, success = true) => ({ timestamp: now - ago, success })
const day = (ago: number, ok: number, fail = 0) => ({ day: dayOf(now - days(ago)), ok, fail })
const none = { '24h': null, '7d': null, '30d': null, '90d': null }

test('uptime is null without runs', () => {
  expect(uptimeOf({ runs: [], days: [] }, now)).toEqual(none)
})

test('a new entry has an uptime only for periods that its runs cover at least half of', () => {
  const since = (first: number) =>
    uptimeOf({ runs: [run(minutes(1)), run(hours(1), false), run(first)], days: [] }, now)
  expect(since(hours(11))).toEqual(none)
  expect(since(hours(12))).toEqual({ ...none, '24h': 2 / 3 })
  expect(since(days(3))).toEqual({ ...none, '24h': 0.5 })
  expect(since(days(4))).toEqual({ ...none, '24h': 0.5, '7d': 2 / 3 })
  expect(since(days(45))).toEqual({ '24h': 0.5, '7d': 0.5, '30d': 0.5, '90d': 2 / 3 })
})

test('counts individual runs instead of daily totals if all runs of the period are kept', () => {
  const runs = [run(hours(1)), run(hours(23), false), run(hours(25), false), run(days(3))]
  const byDay = [day(40, 96), day(3, 1), day(1, 0, 2), day(0, 1)]
  expect(uptimeOf({ runs, days: byDay }, now)['24h']).toBe(0.5)
})

test('counts daily totals beyond the kept runs, and the first day in proportion to its part within the period', () => {
  const runs = [run(minutes(1)), run(minutes(2))]
  const byDay = [day(16, 10, 10), day(7, 0, 10), day(3, 20), day(1, 10, 10), day(0, 10)]
  const uptime = uptimeOf({ runs, days: byDay }, now)
  // Half of yesterday is within the last 24 hours, and half of the day a week ago within the last 7 days.
  expect(uptime['24h']).toBe(15 / 20)
  expect(uptime['7d']).toBe(40 / 55)
  expect(uptime['30d']).toBe(50 / 80)
  expect(uptime['90d']).toBeNull()
})

test('an entry without recent runs has no uptime for short periods but has one for longer periods', () => {
  const uptime = uptimeOf({ runs: [run(days(20)), run(days(21), false)], days: [] }, now)
  expect(uptime).toEqual({ '24h': null, '7d': null, '30d': 0.5, '90d': null })
})

test('ignores days in the future, which date from before the clock was set back', () => {
  const byDay = [day(100, 5), day(0, 1, 1), day(-3, 0, 50)]
  const runs = [run(minutes(1))]
  expect(uptimeOf({ runs, days: byDay }, now)['90d']).toBe(0.5)
})

test('leaves out runs in the future, which date from before the clock was set back', () => {
  const runs = [run(minutes(1)), run(hours(13)), run(-days(1), false)]
  expect(uptimeOf({ runs, days: [] }, now)).toEqual({ ...none, '24h': 1 })
  const storedRuns = [run(minutes(1)), run(hours(25), false), run(-days(1), false)]
  const byDay = [day(40, 96), day(1, 0, 1), day(0, 1), day(-1, 0, 1)]
  expect(uptimeOf({ runs: storedRuns, days: byDay }, now)['24h']).toBe(1)
})
