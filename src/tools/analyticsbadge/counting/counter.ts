import { sql } from 'kysely'
import { groupCommit } from '../../../platform/db/group-commit.ts'
import type { Db, Queries } from '../../../platform/db/open.ts'
import { retryDeadlocks } from '../../../platform/db/transact.ts'
import type { Watch } from '../../../platform/health.ts'
import { dayOf, type Instant } from '../../../shared/time.ts'
import type { BadgeStats } from '../contract.ts'
import type { Source } from '../terms.ts'
import {
  addViews,
  countByTag,
  numberViews,
  shownViews,
  type Total,
  type View,
  type Views,
  type ViewsByTag,
} from './ledger.ts'
import { limitNewTags, type NewTagLimits } from './new-tags.ts'
import { recordTagRequest, statsOf, viewsToday } from './stats.ts'

export type CountResult = Views | 'too many new tags'

/** Maximum views per group, more than ever wait at the same time. */
const most = 10_000
const maxCachedTags = 100_000

type Settings = NewTagLimits & { now: () => Instant; watch?: Watch }

/** Counts views. Each view gets a unique number once it is on disk. The rate of new tags is limited. */
export function viewCounter(db: Db, { now, watch, ...limits }: Settings) {
  const views = groupCommit<View, CountResult>(db, { most, write, watch })
  /** Existing tags that already have a view today. */
  let viewedToday = { day: '', tags: new Set<string>() }

  async function write(group: readonly View[]): Promise<CountResult[]> {
    const lastView = now()
    const day = dayOf(lastView)
    if (viewedToday.day !== day || viewedToday.tags.size >= maxCachedTags) viewedToday = { day, tags: new Set() }
    const { tags } = viewedToday
    const isFirst = group.some(({ tag }) => !tags.has(tag))
    const seen = countByTag(group)
    // Deleting a user updates their badges in any order, so it may deadlock with these views.
    const totals = await retryDeadlocks(() =>
      isFirst ? addFirstViews(group, tags, lastView) : addViews(db, db.q, seen, lastView),
    )
    for (const { tag } of totals) tags.add(tag)
    return numberViews(group, seen, totals).map((result) => (result ? { ...result, lastView } : 'too many new tags'))
  }

  /** Adds a group in which some tags may be new or have no view today yet. */
  function addFirstViews(group: readonly View[], viewedTags: ReadonlySet<string>, at: Instant): Promise<Total[]> {
    const firstViews = new Map(
      group.toReversed().flatMap((view) => (viewedTags.has(view.tag) ? [] : [[view.tag, view]])),
    )
    return db.q.transaction().execute(async (tx) => {
      const refused = new Set(await limitNewTags(db, tx, { firstViews, at, limits }))
      const seen = countByTag(group.filter(({ tag }) => !refused.has(tag)))
      if (seen.size === 0) return []
      const totals = await addViews(db, tx, seen, at)
      await beginDay(db, tx, { day: dayOf(at), firstViews, seen, totals })
      return totals
    })
  }

  /** Ignores failed writes, so that the request still gets its answer; the next look tries again. */
  const recordRequest = (tag: string) => recordTagRequest(db, tag, now()).catch(() => {})

  return {
    /** Counts one view. Resolves once it is on disk; rejects if the database fails. */
    count: (tag: string, source: Source, address?: () => string): Promise<CountResult> =>
      views.add({ tag, source, address }),
    /** The number that the tag shows, read without counting a view; undefined if the tag doesn't exist. */
    async peek(tag: string): Promise<Views | undefined> {
      const row = await db.q
        .selectFrom('badge')
        .select(['last_view', 'hidden', shownViews.as('shown')])
        .where('tag', '=', tag)
        .executeTakeFirst()
      if (row) await recordRequest(tag)
      return row && { views: row.shown, lastView: row.last_view || undefined, hidden: row.hidden === 1 }
    },
    async stats(tag: string): Promise<BadgeStats> {
      await recordRequest(tag)
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

type DayBegun = {
  day: string
  firstViews: ReadonlyMap<string, View>
  seen: ViewsByTag
  totals: readonly Total[]
}

/** Stores each tag's totals as of the start of `day`, unless that day or a later one is stored already. */
async function beginDay(db: Db, tx: Queries, { day, firstViews, seen, totals }: DayBegun) {
  const before = totals.flatMap(({ tag, camo, other }) => {
    const added = firstViews.has(tag) && seen.get(tag)
    return added ? [{ tag, camo: camo - added.camo, other: other - added.other }] : []
  })
  const rows = db.rows('before', { tag: 'text', camo: 'bigint', other: 'bigint' }, before)
  await sql`
    insert into badge_day (tag, day, camo, other) select tag, ${day}, camo, other from ${rows}
    where not exists (select 1 from badge_day as later where later.tag = before.tag and later.day > ${day})
    on conflict do nothing`.execute(tx)
}
