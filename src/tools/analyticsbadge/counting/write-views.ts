import { sql } from 'kysely'
import type { Db, Queries } from '../../../platform/db/open.ts'
import { transact } from '../../../platform/db/transact.ts'
import { inTurn } from '../../../shared/async.ts'
import { HttpError } from '../../../shared/http-error.ts'
import { dayOf, type Instant } from '../../../shared/time.ts'
import { type Ledger, type Numbers, numbersOf, type Seen, seenIn, shownViews, type Total, type View } from './ledger.ts'
import { type NewTagLimits, tooMany } from './new-tags.ts'

const keptTags = 100_000

/**
 * Adds views to a ledger, group after group; each group is on disk when it is answered. New tags are limited.
 */
export function viewWriter(db: Db, ledger: Ledger, limits: NewTagLimits) {
  /** Tags that aren't new and have been viewed today. */
  let begun = { day: '', tags: new Set<string>() }

  /** Adds a group with tags that may be new, or that may not have been viewed today. */
  async function writeFirst(views: readonly View[], day: string, at: Instant): Promise<Numbers> {
    const seen = seenIn(views)
    const first = new Set([...seen.keys()].filter((tag) => !begun.tags.has(tag)))
    const totals = await db.q.transaction().execute(async (tx) => {
      const asked = new Map(views.toReversed().flatMap((view) => (first.has(view.tag) ? [[view.tag, view]] : [])))
      const refused = new Set(await tooMany(db, tx, { asked, at, limits }))
      const taken = views.filter(({ tag }) => !refused.has(tag))
      if (taken.length === 0) return []
      const totals = (await ledger.addOn(tx, taken, at)).filter(({ tag }) => seen.has(tag))
      await beginDay(db, tx, { day, first, seen, totals })
      return totals
    })
    ledger.learn(totals)
    for (const { tag } of totals) begun.tags.add(tag)
    return numbersOf(views, seen, totals)
  }

  async function write(views: readonly View[], at: Instant): Promise<Numbers> {
    const day = dayOf(at)
    if (begun.day !== day || begun.tags.size >= keptTags) {
      begun = { day, tags: new Set() }
      ledger.forget()
    }
    const { tags: known } = begun
    try {
      return await (views.every(({ tag }) => known.has(tag)) ? ledger.add(views, at) : writeFirst(views, day, at))
    } catch (error) {
      forgetAll()
      throw error
    }
  }

  /** What was not answered may be on disk all the same: what was known no longer holds. */
  function forgetAll() {
    begun = { day: '', tags: new Set() }
    ledger.forget()
  }

  /** What a tag shows changes with the database, not amid a group. Where others count too, nothing is known that could differ. */
  const turn = db.isShared ? <T>(work: () => Promise<T>) => work() : inTurn()

  return {
    write: (views: readonly View[], at: Instant): Promise<Numbers> => turn(() => write(views, at)),
    /** Changes what a tag shows, with all views in the tables that were answered before. */
    change: <T>(tag: string, work: (tx: Queries) => Promise<T>): Promise<T> =>
      turn(async () => {
        const { answer, total } = await transact(db, async (tx) => {
          await ledger.flush(tx)
          const answer = await work(tx)
          return { answer, total: await totalOf(tx, tag) }
        }).catch((error: unknown) => {
          if (!(error instanceof HttpError)) forgetAll()
          throw error
        })
        if (total) ledger.relearn(total)
        return answer
      }),
  }
}

const totalOf = (tx: Queries, tag: string): Promise<Total | undefined> =>
  tx
    .selectFrom('badge')
    .select(['tag', 'camo', 'other', 'last_view', 'hidden', shownViews.as('shown')])
    .where('tag', '=', tag)
    .executeTakeFirst()

/**
 * Stores the tags' totals before the day's first view, which is among these. A day that has begun stays as it is, and so
 * does one that is over by the clock of another instance, or by this one before it was set back.
 */
async function beginDay(
  db: Db,
  tx: Queries,
  { day, first, seen, totals }: { day: string; first: ReadonlySet<string>; seen: Seen; totals: readonly Total[] },
) {
  const before = totals.flatMap(({ tag, camo, other }) => {
    const now = first.has(tag) && seen.get(tag)
    return now ? [{ tag, camo: camo - now.camo, other: other - now.other }] : []
  })
  const rows = db.rows('before', { tag: 'text', camo: 'bigint', other: 'bigint' }, before)
  await sql`
    insert into badge_day (tag, day, camo, other) select tag, ${day}, camo, other from ${rows}
    where not exists (select 1 from badge_day as later where later.tag = before.tag and later.day > ${day})
    on conflict do nothing`.execute(tx)
}
