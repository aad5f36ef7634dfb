import { sql } from 'kysely'
import { prepare } from '../../../platform/db/look-up.ts'
import type { Db, Queries } from '../../../platform/db/open.ts'
import type { Instant } from '../../../shared/time.ts'
import type { Source } from '../terms.ts'

export type View = { tag: string; source: Source; address?: (() => string) | undefined }
type BySource = Record<Source, number>
/** A tag's total views by source, the number it shows, and whether its image hides that number. */
export type Total = BySource & { tag: string; shown: number; hidden: number }
export type ViewsByTag = ReadonlyMap<string, Readonly<BySource>>
/** The number that a tag shows, and the time of its last view, undefined before the first. */
export type Views = { views: number; lastView: Instant | undefined; hidden?: boolean }

/** SQL for the number that a row of `badge` shows: its views since the last reset, plus its base. */
export const shownViews = sql<number>`badge.camo + badge.other + badge.base - badge.reset_views`

export async function addViews(db: Db, q: Queries, seen: ViewsByTag, at: Instant): Promise<Total[]> {
  // All instances lock rows in this order, so that they can't deadlock.
  const records = [...seen.keys()].sort().map((tag) => ({ tag, ...seen.get(tag) }))
  const instant = sql`cast(${at} as bigint)`
  const add = sql<Total>`
    insert into badge (tag, camo, other, last_view, created_at)
    select tag, camo, other, ${instant}, ${instant}
    from ${db.rows('seen', { tag: 'text', camo: 'bigint', other: 'bigint' }, records)}
    where true on conflict (tag) do update set camo = badge.camo + excluded.camo, other = badge.other + excluded.other,
      last_view = case when badge.last_view > excluded.last_view then badge.last_view else excluded.last_view end
    returning tag, camo, other, hidden, camo + other + base - reset_views as shown`
  return (await q.executeQuery(prepare(add.compile(q)))).rows
}

export function countByTag(views: readonly View[]): ViewsByTag {
  const seen = new Map<string, BySource>()
  for (const { tag, source } of views) {
    const before = seen.get(tag)
    if (before) before[source] += 1
    else seen.set(tag, { camo: 0, other: 0, [source]: 1 })
  }
  return seen
}

/** Numbers the views of a group, up to the number each tag shows now; undefined for a view that was not counted. */
export function numberViews(views: readonly View[], seen: ViewsByTag, totals: readonly Total[]) {
  const last = new Map(
    totals.map(({ tag, shown, hidden }) => {
      const { camo, other } = seen.get(tag)!
      return [tag, { views: shown - camo - other, hidden: hidden === 1 }]
    }),
  )
  return views.map(({ tag }) => {
    const before = last.get(tag)
    if (!before) return undefined
    before.views += 1
    return { ...before }
  })
}
