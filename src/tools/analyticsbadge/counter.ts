import type { Db } from '../../server/db/open.ts'
import type { Instant } from '../../shared/time.ts'
import type { Source } from './contract.ts'
import { type Totals, viewWriter } from './write-views.ts'

/** How often a tag was viewed, and when the last time; undefined before the first. */
export type Views = { views: number; lastView: Instant | undefined }
/** A view that was counted, or that was not since too many new tags came within an hour. */
export type Counted = Views | 'too many new tags'

type Waiter = { resolve: (counted: Counted) => void; reject: (error: unknown) => void }
type Waiting = Record<Source, number> & { waiters: Waiter[] }
type Batch = Map<string, Waiting>

/** Turns of the event loop that a batch grows at most, while each brings more. */
const mostTurns = 4

/**
 * Counts views. Those that arrive while the ones before are written are written together, and each is answered when
 * its own number is on disk.
 */
export function viewCounter(db: Db, settings: { now: () => Instant; newTagsPerHour: number }) {
  const write = viewWriter(db, settings.newTagsPerHour)
  let waiting: Batch = new Map()
  let arrived = 0
  let writing: Promise<void> | undefined

  async function writeAll(): Promise<void> {
    let answerLast = () => {}
    while (waiting.size > 0) {
      const next = writeNext()
      // Viewers are answered while the ones after them are written.
      setImmediate(answerLast)
      answerLast = await next
    }
    writing = undefined
    answerLast()
  }

  /** Writes all that wait; what it answers then answers them. */
  async function writeNext(): Promise<() => void> {
    if (db.kind === 'sqlite') await gather()
    const batch = waiting
    waiting = new Map()
    const at = settings.now()
    return write(batch, at).then(
      (totals) => () => {
        for (const [tag, { waiters }] of batch) answer(tag, waiters, totals, at)
      },
      (error: unknown) => () => {
        for (const { waiters } of batch.values()) for (const { reject } of waiters) reject(error)
      },
    )
  }

  /** Lets a batch grow while views pour in: to write to disk costs much, one more view in it next to nothing. */
  async function gather(): Promise<void> {
    for (let turn = 0; turn < mostTurns; turn += 1) {
      const before = arrived
      await new Promise((next) => setImmediate(next))
      if (arrived === before && turn > 0) return
    }
  }

  function answer(tag: string, waiters: readonly Waiter[], totals: Totals, lastView: Instant) {
    const total = totals.get(tag)
    if (total === undefined) {
      for (const { resolve } of waiters) resolve('too many new tags')
      return
    }
    const before = total.camo + total.other - waiters.length
    waiters.forEach(({ resolve }, index) => {
      resolve({ views: before + 1 + index, lastView })
    })
  }

  return {
    /** Counts one view; answers when it is on disk. Rejects when the database failed. */
    count: (tag: string, source: Source): Promise<Counted> =>
      new Promise((resolve, reject) => {
        const seen = waiting.get(tag) ?? { camo: 0, other: 0, waiters: [] }
        if (seen.waiters.length === 0) waiting.set(tag, seen)
        seen[source] += 1
        seen.waiters.push({ resolve, reject })
        arrived += 1
        writing ??= writeAll()
      }),
    /** What was counted so far; undefined before the first view. */
    async look(tag: string): Promise<Views | undefined> {
      const row = await db.q
        .selectFrom('badge')
        .select(['camo', 'other', 'last_view'])
        .where('tag', '=', tag)
        .executeTakeFirst()
      return row && { views: row.camo + row.other, lastView: row.last_view }
    },
    /** Resolves when nothing is being written any more. */
    settled: async () => writing,
  }
}
export type ViewCounter = ReturnType<typeof viewCounter>
