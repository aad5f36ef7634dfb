import { sql } from 'kysely'
import type { Db } from '../../server/db/open.ts'
import { dayOf, hours, type Instant } from '../../shared/time.ts'
import type { Source } from './contract.ts'

/** How often a tag was viewed, and when the last time. */
export type Views = { views: number; lastView: Instant }
/** A view that was counted, or that was not since too many new tags came within an hour. */
export type Counted = Views | 'too many new tags'

type Waiter = { source: Source; resolve: (counted: Counted) => void; reject: (error: unknown) => void }
type Batch = Map<string, Waiter[]>

const keptTags = 100_000

/**
 * Counts views. Those that arrive while the one before is written are written together, and each is answered when
 * its own number is on disk.
 */
export function viewCounter(db: Db, settings: { now: () => Instant; newTagsPerHour: number }) {
  const { now, newTagsPerHour } = settings
  const known = new Set<string>()
  let waiting: Batch = new Map()
  let writing: Promise<void> | undefined

  async function write(): Promise<void> {
    // One turn of the event loop gathers what has arrived by now.
    await new Promise((turn) => setImmediate(turn))
    while (waiting.size > 0) {
      const batch = waiting
      waiting = new Map()
      await writeBatch(batch).catch((error: unknown) => {
        for (const waiters of batch.values()) for (const { reject } of waiters) reject(error)
      })
    }
    writing = undefined
  }

  async function writeBatch(batch: Batch): Promise<void> {
    const at = now()
    for (const tag of await tooMany(batch, at)) {
      for (const { resolve } of batch.get(tag) ?? []) resolve('too many new tags')
      batch.delete(tag)
    }
    if (batch.size === 0) return
    const totals = await commit(db, batch, at)
    for (const [tag, waiters] of batch) {
      const total = totals.get(tag) ?? 0
      remember(tag)
      waiters.forEach(({ resolve }, index) => {
        resolve({ views: total - waiters.length + 1 + index, lastView: at })
      })
    }
  }

  function remember(tag: string) {
    if (known.size >= keptTags) known.clear()
    known.add(tag)
  }

  /** The new tags of a batch that are over the ceiling of an hour. */
  async function tooMany(batch: Batch, at: Instant): Promise<string[]> {
    const unknown = [...batch.keys()].filter((tag) => !known.has(tag))
    if (unknown.length === 0) return []
    const there = await db.q.selectFrom('badge').select('tag').where('tag', 'in', unknown).execute()
    for (const { tag } of there) remember(tag)
    const fresh = unknown.filter((tag) => !known.has(tag))
    if (fresh.length === 0) return []
    const { count } = await db.q
      .selectFrom('badge')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('created_at', '>', at - hours(1))
      .executeTakeFirstOrThrow()
    return fresh.slice(Math.max(0, newTagsPerHour - count))
  }

  return {
    /** Counts one view; answers when it is on disk. Rejects when the database failed. */
    count: (tag: string, source: Source): Promise<Counted> =>
      new Promise((resolve, reject) => {
        const waiters = waiting.get(tag)
        if (waiters) waiters.push({ source, resolve, reject })
        else waiting.set(tag, [{ source, resolve, reject }])
        writing ??= write()
      }),
    /** What was counted so far; undefined before the first view. */
    async look(tag: string): Promise<Views | undefined> {
      const row = await db.q
        .selectFrom('badge')
        .select(['views', 'last_view'])
        .where('tag', '=', tag)
        .executeTakeFirst()
      return row && { views: row.views, lastView: row.last_view }
    },
    settled: async () => writing,
  }
}
export type ViewCounter = ReturnType<typeof viewCounter>

/** Adds a batch in one transaction and answers each tag's new total. */
async function commit(db: Db, batch: Batch, at: Instant): Promise<Map<string, number>> {
  // In one order everywhere, so that two instances never wait for each other.
  const tags = [...batch.keys()].sort()
  const totals = tags.map((tag) => ({ tag, views: batch.get(tag)?.length ?? 0 }))
  const days = tags.flatMap((tag) => bySource(tag, batch.get(tag) ?? []))
  return db.q.transaction().execute(async (on) => {
    const { rows } = await sql<{ tag: string; views: number }>`
      insert into badge (tag, views, last_view, created_at)
      select tag, views, ${at}, ${at} from ${db.rows('seen', { tag: 'text', views: 'bigint' }, totals)} where true
      on conflict (tag) do update set views = badge.views + excluded.views,
        last_view = case when excluded.last_view > badge.last_view then excluded.last_view else badge.last_view end
      returning tag, views`.execute(on)
    await sql`
      insert into badge_day (tag, day, source, views)
      select tag, ${dayOf(at)}, source, views
      from ${db.rows('seen', { tag: 'text', source: 'text', views: 'bigint' }, days)} where true
      on conflict (tag, day, source) do update set views = badge_day.views + excluded.views`.execute(on)
    return new Map(rows.map((row) => [row.tag, row.views]))
  })
}

function bySource(tag: string, waiters: readonly Waiter[]) {
  const camo = waiters.filter((waiter) => waiter.source === 'camo').length
  const counts = [
    { tag, source: 'camo' as const, views: camo },
    { tag, source: 'other' as const, views: waiters.length - camo },
  ]
  return counts.filter(({ views }) => views > 0)
}
