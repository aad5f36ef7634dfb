import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { freshDatabase } from '../../../../test/support/database/databases.ts'
import type { Queries } from '../../../platform/db/open.ts'
import { openPostgres } from '../../../platform/db/postgres/open.ts'
import { dayOf } from '../../../shared/time.ts'
import { type CountResult, type ViewCounter, viewCounter } from './counter.ts'
import { statsOf } from './stats.ts'

const at = Date.UTC(2026, 0, 5)
const opened = await freshDatabase('postgres')
const { db, drop } = opened
const others = [1, 2].map(() => openPostgres(opened.url ?? ''))
afterAll(async () => {
  for (const other of others) await other.close()
  await drop()
})
const counters = (newTagsPerHour: number) =>
  [db, ...others].map((one) => viewCounter(one, { now: () => at, newTagsPerHour }))
const numberOf = (counted: CountResult) => (counted === 'too many new tags' ? undefined : counted.views)

/** Counts a view of each tag per round; the rounds spread the views over many batches. */
async function views(counter: ViewCounter, tags: readonly string[], rounds: number, first = 0) {
  const results: { tag: string; number: number | undefined }[] = []
  for (let round = first; round < first + rounds; round += 1)
    await Promise.all(
      tags.map(async (tag) =>
        results.push({ tag, number: numberOf(await counter.count(tag, round % 3 ? 'other' : 'camo')) }),
      ),
    )
  return results
}

test('three instances give all viewers of a tag distinct, consecutive numbers', async () => {
  const tags = ['a', 'b', 'c', 'Z', '_', '9']
  const [one, two, three] = counters(100) as [ViewCounter, ViewCounter, ViewCounter]
  const rounds = 60
  const results = await Promise.all([
    views(one, tags, rounds),
    views(two, tags.toReversed(), rounds),
    views(three, [...tags.slice(3), ...tags.slice(0, 3)], rounds),
  ])
  const expected = Array.from({ length: 3 * rounds }, (_, index) => index + 1)
  for (const tag of tags) {
    const numbers = results
      .flat()
      .flatMap((view) => (view.tag === tag && view.number !== undefined ? [view.number] : []))
    expect(numbers.sort((a, b) => a - b)).toEqual(expected)
  }
  const { days } = await statsOf(db, 'a', at)
  expect(days).toEqual([{ day: dayOf(at), views: 3 * rounds, camo: rounds, other: 2 * rounds }])
})

test('the limit of new tags holds across instances that add tags concurrently', async () => {
  await db.q.deleteFrom('badge').execute()
  const tags = Array.from({ length: 12 }, (_, index) => `new_${index}`)
  const results = await Promise.all(
    counters(20).map((counter, instance) =>
      views(
        counter,
        tags.map((tag) => `${tag}_${instance}`),
        2,
        1,
      ),
    ),
  )
  const accepted = results.flat().filter(({ number }) => number !== undefined)
  expect(new Set(accepted.map(({ tag }) => tag)).size).toBe(20)
  expect(accepted).toHaveLength(40)
  expect(await db.q.selectFrom('badge').select('tag').execute()).toHaveLength(20)
})

test.each(['first', 'later'])('the %s views of a day are counted despite a deadlock', async (which) => {
  // The first view is written alone, and the others together.
  const tags = ['c', 'a', 'b']
  const [counter, other] = counters(100) as [ViewCounter, ViewCounter]
  await views(which === 'first' ? other : counter, tags, 1)
  const before = await counter.figures(tags)
  const update = (tx: Queries, tag: string) => tx.updateTable('badge').set({ base: 0 }).where('tag', '=', tag).execute()
  const waiting = async () => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db.q)
    return rows.length
  }
  let counting: ReturnType<typeof views> | undefined
  // Deleting a user, too, updates badges in an order other than that of their tags.
  await db.q.transaction().execute(async (tx) => {
    // PostgreSQL ends the transaction that detects the deadlock first, which must be the views.
    await sql`set local deadlock_timeout = '1min'`.execute(tx)
    await update(tx, 'b')
    // Holds the views up until the deletion waits behind them, so that they are the last to wait.
    const { updated } = await db.q.transaction().execute(async (holder) => {
      await holder.selectFrom('badge').select('tag').where('tag', '=', 'a').forUpdate().execute()
      counting = views(counter, tags, 1)
      await expect.poll(waiting).toBe(1)
      const updated = update(tx, 'a')
      await expect.poll(waiting).toBe(2)
      return { updated }
    })
    await updated
  })
  expect(new Map((await counting)?.map(({ tag, number }) => [tag, number]))).toEqual(
    new Map(Array.from(before, ([tag, number]) => [tag, number + 1])),
  )
})
