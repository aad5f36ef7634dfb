import { sql } from 'kysely'
import { groupCommit } from '../../../platform/db/group-commit.ts'
import type { Db, Queries } from '../../../platform/db/open.ts'
import { transact } from '../../../platform/db/transact.ts'
import type { Watch } from '../../../platform/health.ts'
import { inTurn } from '../../../shared/async.ts'
import { HttpError } from '../../../shared/http-error.ts'
import { dayOf, type Instant } from '../../../shared/time.ts'
import type { BadgeStats } from '../contract.ts'
import type { Source } from '../terms.ts'
import { noteAsked } from './forgotten.ts'
import {
  type Ledger,
  type Numbers,
  numbersOf,
  type Seen,
  seenIn,
  shownViews,
  type Total,
  type View,
  type Views,
} from './ledger.ts'
import { type NewTagLimits, tooMany } from './new-tags.ts'
import { statsOf, viewsToday } from './stats.ts'
import { type JournalOptions, viewJournal } from './view-journal.ts'
import { viewRows } from './view-rows.ts'

/** A counted view, or one that wasn't counted because there were too many new tags within an hour. */
export type Counted = Views | 'too many new tags'

/** More views than ever wait at once. */
const most = 10_000

type Settings = NewTagLimits & { now: () => Instant; watch?: Watch; journal?: JournalOptions }

/** Where views are added. A database of this server alone gets a journal, and its totals are known without asking. */
export const viewLedger = (db: Db, journal?: JournalOptions): Ledger =>
  db.isShared ? viewRows(db) : viewJournal(db, journal)

/** Counts views. Each gets its own number once that is on disk. */
export function viewCounter(db: Db, { now, watch, journal, ...limits }: Settings) {
  const ledger = viewLedger(db, journal)
  const { write, change } = viewWriter(db, ledger, limits)
  const views = groupCommit<View, Counted>(db, { most, write: writeViews, watch })

  async function writeViews(group: readonly View[]): Promise<Counted[]> {
    const lastView = now()
    const numbers = await write(group, lastView)
    return numbers.map((views, index) =>
      views === undefined ? 'too many new tags' : { views, lastView, hidden: ledger.isHidden(group[index]!.tag) },
    )
  }

  /** Whoever looks gets an answer even if this can't be written: the next one who asks is noted. */
  const note = (tag: string) => noteAsked(db, tag, now()).catch(() => {})

  return {
    /** Counts one view; resolves once it is on disk, rejects if the database fails. */
    count: (tag: string, source: Source, address?: () => string): Promise<Counted> =>
      views.add({ tag, source, address }),
    /** What the tag shows; undefined before the first view. */
    async look(tag: string): Promise<Views | undefined> {
      const known = ledger.known(tag)
      if (known) return { ...known, hidden: ledger.isHidden(tag) }
      await ledger.checkpoint()
      const row = await db.q
        .selectFrom('badge')
        .select(['last_view', 'hidden', shownViews.as('shown')])
        .where('tag', '=', tag)
        .executeTakeFirst()
      if (row) await note(tag)
      return row && { views: row.shown, lastView: row.last_view || undefined, hidden: row.hidden === 1 }
    },
    /** Changes what a tag shows, or whose it is, in a transaction; `work` finds all views in the tables that were answered before. */
    change<T>(tag: string, work: (tx: Queries) => Promise<T>): Promise<T> {
      return change(tag, work)
    },
    /** A tag's views in total and by day. */
    async stats(tag: string): Promise<BadgeStats> {
      await ledger.checkpoint()
      await note(tag)
      return statsOf(db, tag, now())
    },
    /** What these tags show, by tag. */
    async figures(tags: readonly string[]): Promise<Map<string, number>> {
      await ledger.checkpoint()
      const rows = await db.q
        .selectFrom('badge')
        .select(['tag', shownViews.as('shown')])
        .where(db.isOneOf('tag', tags))
        .execute()
      return new Map(rows.map(({ tag, shown }) => [tag, shown]))
    },
    /** The views of all tags today. */
    async today(): Promise<number> {
      await ledger.checkpoint()
      return viewsToday(db, now())
    },
    /** Resolves when all views answered before are in the tables. */
    checkpoint: (): Promise<void> => ledger.checkpoint(),
    /** Resolves when nothing is being written. */
    async drained(): Promise<void> {
      await views.drained()
      // What is left in the journal is on disk, and the next process adds it.
      await ledger.checkpoint().catch(() => {})
    },
  }
}
export type ViewCounter = ReturnType<typeof viewCounter>

const keptTags = 100_000

/**
 * Adds views to a ledger, group after group; each group is on disk when it is answered. New tags are limited.
 */
function viewWriter(db: Db, ledger: Ledger, limits: NewTagLimits) {
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
