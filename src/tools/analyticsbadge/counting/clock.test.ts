import { afterAll, describe, expect, test } from 'vitest'
import { bothDialects, freshDatabase } from '../../../../test/support/database/databases.ts'
import { dayOf, days, type Instant, seconds } from '../../../shared/time.ts'
import { viewCounter } from './counter.ts'
import { statsOf, viewsToday } from './stats.ts'

const midnight = Date.UTC(2026, 0, 5)

describe.each(bothDialects)('badge days when clocks disagree on %s', async (dialect) => {
  const { db, drop } = await freshDatabase(dialect)
  afterAll(() => drop())

  /** Counts a view at each of these instants, one after the other, each by a new server. */
  async function view(tag: string, ...instants: Instant[]) {
    for (const at of instants) await viewCounter(db, { now: () => at, newTagsPerHour: 100 }).count(tag, 'other')
  }
  const daysOf = async (tag: string) =>
    (await statsOf(db, tag, midnight + days(1))).days.map(({ day, views }) => [day, views])

  test('no day has a negative count, and the days add up to the total', async () => {
    await view('a', midnight - days(2), midnight, midnight - seconds(1), midnight + seconds(1))
    expect(await daysOf('a')).toEqual([
      [dayOf(midnight - days(2)), 1],
      [dayOf(midnight), 3],
    ])
    expect(await viewsToday(db, midnight)).toBe(3)
  })

  test('days add up to the total even if the first view came from a clock that runs ahead', async () => {
    await view('b', midnight + days(1), midnight, midnight - seconds(1), midnight + days(1))
    const daily = await daysOf('b')
    expect(daily.reduce((sum, [, views]) => sum + Number(views), 0)).toBe(4)
    expect(daily.every(([, views]) => Number(views) >= 0)).toBe(true)
  })
})
