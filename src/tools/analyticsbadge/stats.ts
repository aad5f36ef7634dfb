import type { Db } from '../../server/db/open.ts'
import type { Kit } from '../../server/kit.ts'
import { dayOf, days, type Instant } from '../../shared/time.ts'
import type { BadgeStats } from './contract.ts'

const shownDays = 90
/** Days are kept this long; the total stays. */
const keptDays = 400

/** A tag's views in all and on each of the last 90 days that had any. */
export async function statsOf({ q }: Pick<Db, 'q'>, tag: string, now: Instant): Promise<BadgeStats> {
  const badge = await q.selectFrom('badge').select(['views', 'last_view']).where('tag', '=', tag).executeTakeFirst()
  const rows = await q
    .selectFrom('badge_day')
    .select(['day', 'source', 'views'])
    .where('tag', '=', tag)
    .where('day', '>', dayOf(now - days(shownDays)))
    .orderBy('day')
    .execute()
  const byDay = new Map<string, BadgeStats['days'][number]>()
  for (const { day, source, views } of rows) {
    const sum = byDay.get(day) ?? { day, views: 0, camo: 0, other: 0 }
    sum.views += views
    sum[source === 'camo' ? 'camo' : 'other'] += views
    byDay.set(day, sum)
  }
  return { tag, views: badge?.views ?? 0, lastView: badge?.last_view ?? null, days: [...byDay.values()] }
}

/** Forgets days that are too old. */
export async function dropOldDays({ db, now }: Pick<Kit, 'db' | 'now'>): Promise<void> {
  await db.q
    .deleteFrom('badge_day')
    .where('day', '<', dayOf(now() - days(keptDays)))
    .execute()
}
