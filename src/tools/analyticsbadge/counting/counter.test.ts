import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { bothDialects, freshDatabase } from '../../../../test/support/database/databases.ts'
import { dayOf, days, type Instant, seconds } from '../../../shared/time.ts'
import type { Source } from '../terms.ts'
import { type CountResult, viewCounter } from './counter.ts'
import { statsOf, viewsToday } from './stats.ts'

const midnight = Date.UTC(2026, 0, 5)
const numberOf = (counted: CountResult) => (counted === 'too many new tags' ? undefined : counted.views)

describe.each(bothDialects)('views on %s', async (dialect) => {
  let at: Instant = midnight
  const { db, drop } = await freshDatabase(dialect)
  afterEach(() => clear())
  afterAll(() => drop())
  async function clear() {
    await db.q.deleteFrom('badge').execute()
    await db.q.deleteFrom('badge_new').execute()
    at = midnight
  }
  const start = () => viewCounter(db, { now: () => at, newTagsPerHour: 100 })

  const tag = fc.constantFrom('a', 'b', 'null', '01', '__proto__')
  const source = fc.constantFrom<Source>('camo', 'other')
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ views: fc.array(fc.record({ tag, source }), { minLength: 1, maxLength: 8 }) }),
    },
    fc.record({ look: tag }),
    fc.constantFrom('started again' as const, 'a day later' as const),
  )

  test('have exact numbers, totals and daily counts across reads, restarts and changes of day', async () => {
    await fc.assert(
      fc
        .asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          let counter = start()
          const counted: { tag: string; source: Source; day: string }[] = []
          const of = (tag: string) => counted.filter((view) => view.tag === tag)
          for (const step of steps) {
            if (step === 'started again') counter = start()
            else if (step === 'a day later') at += days(1)
            else if ('look' in step) expect((await counter.peek(step.look))?.views ?? 0).toBe(of(step.look).length)
            else {
              const results = await Promise.all(step.views.map(({ tag, source }) => counter.count(tag, source)))
              for (const [index, view] of step.views.entries()) {
                counted.push({ ...view, day: dayOf(at) })
                expect(numberOf(results[index]!)).toBe(of(view.tag).length)
              }
            }
          }
          await counter.drained()
          for (const tag of new Set(counted.map(({ tag }) => tag))) {
            const { views, days } = await statsOf(db, tag, at)
            const on = (day: string, source: Source) =>
              of(tag).filter((view) => view.day === day && view.source === source).length
            const expected = [...new Set(of(tag).map(({ day }) => day))].map((day) => {
              const [camo, other] = [on(day, 'camo'), on(day, 'other')]
              return { day, views: camo + other, camo, other }
            })
            expect({ views, days }).toEqual({ views: of(tag).length, days: expected })
          }
        })
        .afterEach(clear),
      { numRuns: 40 },
    )
  })

  /** Counts a view at each of these instants, one after the other, each by a server whose clock shows it. */
  async function view(tag: string, ...instants: Instant[]) {
    for (const shown of instants) {
      at = shown
      await start().count(tag, 'other')
    }
  }
  const daysOf = async (tag: string) =>
    (await statsOf(db, tag, midnight + days(1))).days.map(({ day, views }) => [day, views])

  test('have no negative count on any day when clocks disagree, and the days add up to the total', async () => {
    await view('a', midnight - days(2), midnight, midnight - seconds(1), midnight + seconds(1))
    expect(await daysOf('a')).toEqual([
      [dayOf(midnight - days(2)), 1],
      [dayOf(midnight), 3],
    ])
    expect(await viewsToday(db, midnight)).toBe(3)
  })

  test('add up to the total even if the first one came from a clock that runs ahead', async () => {
    await view('b', midnight + days(1), midnight, midnight - seconds(1), midnight + days(1))
    const daily = await daysOf('b')
    expect(daily.reduce((sum, [, views]) => sum + Number(views), 0)).toBe(4)
    expect(daily.every(([, views]) => Number(views) >= 0)).toBe(true)
  })
})

test('a new tag over the limit writes nothing to the database', async () => {
  const { db, drop } = await freshDatabase('sqlite')
  const counter = viewCounter(db, { now: () => midnight, newTagsPerHour: 1 })
  await counter.count('a', 'other')
  const changes = sql`select total_changes() as changes`
  const written = () => db.q.transaction().execute(async (tx) => (await changes.execute(tx)).rows[0])
  const before = await written()
  expect(await counter.count('b', 'other')).toBe('too many new tags')
  expect(await written()).toEqual(before)
  await drop()
})
