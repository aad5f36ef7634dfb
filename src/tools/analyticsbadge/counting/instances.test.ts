import { afterAll, expect, test } from 'vitest'
import { freshDatabase } from '../../../../test/support/database/databases.ts'
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
  const seen: { tag: string; number: number | undefined }[] = []
  for (let round = first; round < first + rounds; round += 1)
    await Promise.all(
      tags.map(async (tag) =>
        seen.push({ tag, number: numberOf(await counter.count(tag, round % 3 ? 'other' : 'camo')) }),
      ),
    )
  return seen
}

test('three instances give all viewers of a tag distinct, consecutive numbers', async () => {
  const tags = ['a', 'b', 'c', 'Z', '_', '9']
  const [one, two, three] = counters(100) as [ViewCounter, ViewCounter, ViewCounter]
  const rounds = 60
  const seen = await Promise.all([
    views(one, tags, rounds),
    views(two, tags.toReversed(), rounds),
    views(three, [...tags.slice(3), ...tags.slice(0, 3)], rounds),
  ])
  const expected = Array.from({ length: 3 * rounds }, (_, index) => index + 1)
  for (const tag of tags) {
    const numbers = seen.flat().flatMap((view) => (view.tag === tag && view.number !== undefined ? [view.number] : []))
    expect(numbers.sort((a, b) => a - b)).toEqual(expected)
  }
  const { days } = await statsOf(db, 'a', at)
  expect(days).toEqual([{ day: dayOf(at), views: 3 * rounds, camo: rounds, other: 2 * rounds }])
})

test('the limit of new tags holds across instances that add tags concurrently', async () => {
  await db.q.deleteFrom('badge').execute()
  const tags = Array.from({ length: 12 }, (_, index) => `new_${index}`)
  const seen = await Promise.all(
    counters(20).map((counter, instance) =>
      views(
        counter,
        tags.map((tag) => `${tag}_${instance}`),
        2,
        1,
      ),
    ),
  )
  const taken = seen.flat().filter(({ number }) => number !== undefined)
  expect(new Set(taken.map(({ tag }) => tag)).size).toBe(20)
  expect(taken).toHaveLength(40)
  expect(await db.q.selectFrom('badge').select('tag').execute()).toHaveLength(20)
})
