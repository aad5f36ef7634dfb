import { sql } from 'kysely'
import { groupCommit } from '../../../platform/db/group-commit.ts'
import type { Db, Queries } from '../../../platform/db/open.ts'
import type { Watch } from '../../../platform/health.ts'
import { dayOf, type Instant } from '../../../shared/time.ts'
import type { BadgeStats } from '../contract.ts'
import type { Source } from '../terms.ts'
import { addViews, numberViews, type Seen, seenIn, shownViews, type Total, type View, type Views } from './ledger.ts'
import { type NewTagLimits, tooMany } from './new-tags.ts'
import { noteAsked, statsOf, viewsToday } from './stats.ts'

/** A counted view, or one that wasn't counted because there were too many new tags within an hour. */
export type Counted = Views | 'too many new tags'

/** More views than ever wait at once. */
const most = 10_000
const keptTags = 100_000

type Settings = NewTagLimits & { now: () => Instant; watch?: Watch }

/** Counts views. Each gets its own number once that is on disk. New tags are limited. */
export function viewCounter(db: Db, { now, watch, ...limits }: Settings) {
  const views = groupCommit<View, Counted>(db, { most, write, watch })
  /** Tags that aren't new and have been viewed today. */
  let begun = { day: '', tags: new Set<string>() }

  async function write(group: readonly View[]): Promise<Counted[]> {
    const lastView = now()
    const day = dayOf(lastView)
    if (begun.day !== day || begun.tags.size >= keptTags) begun = { day, tags: new Set() }
    const { tags } = begun
    const isFirst = group.some(({ tag }) => !tags.has(tag))
    const seen = seenIn(group)
    const totals = await (isFirst ? addFirst(group, tags, lastView) : addViews(db, db.q, seen, lastView))
    for (const { tag } of totals) tags.add(tag)
    return numberViews(group, seen, totals).map((shown) => (shown ? { ...shown, lastView } : 'too many new tags'))
  }

  /** Adds a group with tags that may be new, or that may not have been viewed today. */
  function addFirst(group: readonly View[], begun: ReadonlySet<string>, at: Instant): Promise<Total[]> {
    const asked = new Map(group.toReversed().flatMap((view) => (begun.has(view.tag) ? [] : [[view.tag, view]])))
    return db.q.transaction().execute(async (tx) => {
      const refused = new Set(await tooMany(db, tx, { asked, at, limits }))
      const seen = seenIn(group.filter(({ tag }) => !refused.has(tag)))
      if (seen.size === 0) return []
      const totals = await addViews(db, tx, seen, at)
      await beginDay(db, tx, { day: dayOf(at), first: asked, seen, totals })
      return totals
    })
  }

  /** A viewer gets an answer even if this can't be written: the next look is noted. */
  const note = (tag: string) => noteAsked(db, tag, now()).catch(() => {})

  return {
    /** Counts one view; resolves once it is on disk, rejects if the database fails. */
    count: (tag: string, source: Source, address?: () => string): Promise<Counted> =>
      views.add({ tag, source, address }),
    /** What the tag shows; undefined before the first view. */
    async look(tag: string): Promise<Views | undefined> {
      const row = await db.q
        .selectFrom('badge')
        .select(['last_view', 'hidden', shownViews.as('shown')])
        .where('tag', '=', tag)
        .executeTakeFirst()
      if (row) await note(tag)
      return row && { views: row.shown, lastView: row.last_view || undefined, hidden: row.hidden === 1 }
    },
    /** A tag's views in total and by day. */
    async stats(tag: string): Promise<BadgeStats> {
      await note(tag)
      return statsOf(db, tag, now())
    },
    async figures(tags: readonly string[]): Promise<Map<string, number>> {
      const rows = await db.q
        .selectFrom('badge')
        .select(['tag', shownViews.as('shown')])
        .where(db.isOneOf('tag', tags))
        .execute()
      return new Map(rows.map(({ tag, shown }) => [tag, shown]))
    },
    today: (): Promise<number> => viewsToday(db, now()),
    drained: views.drained,
  }
}
export type ViewCounter = ReturnType<typeof viewCounter>

/**
 * Stores the tags' totals before the day's first view, which is among these. A day that has begun stays as it is, and so
 * does one that is over by the clock of another instance, or by this one before it was set back.
 */
async function beginDay(
  db: Db,
  tx: Queries,
  { day, first, seen, totals }: { day: string; first: ReadonlyMap<string, View>; seen: Seen; totals: readonly Total[] },
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
