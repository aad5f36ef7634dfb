import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { dayOf, days, type Instant } from '../../shared/time.ts'
import { type BadgeStats, recentDays } from './contract.ts'
import type { Period, Source } from './terms.ts'

/** The length of a period in UTC days, including today. */
const daysOf: Record<Period, number> = { today: 1, '7d': 7, '30d': 30 }

type DayViews = BadgeStats['days'][number]
/** A row of `badge_day` without its tag; its fields are null if the tag has no row. */
type DayStart = { day: string | null; camo_before: number | null; other_before: number | null }

/** Derives the views on each day that has any, oldest first, from the total and the totals at the start of days. */
export function viewsByDay(total: Pick<DayViews, Source>, dayStarts: readonly DayStart[]): DayViews[] {
  return dayStarts.flatMap(({ day, camo_before, other_before }, index) => {
    if (day === null) return []
    const next = dayStarts[index + 1]
    const camo = (next?.camo_before ?? total.camo) - (camo_before ?? 0)
    const other = (next?.other_before ?? total.other) - (other_before ?? 0)
    // A reset stores the start of a day that may have no views.
    return camo + other > 0 ? [{ day, views: camo + other, camo, other }] : []
  })
}

/** The views of each of the last 30 days, oldest first. */
export function lastDaysOf(seen: readonly DayViews[], now: Instant): number[] {
  const byDay = new Map(seen.map(({ day, views }) => [day, views]))
  return Array.from({ length: recentDays }, (_, index) => byDay.get(dayOf(now - days(recentDays - 1 - index))) ?? 0)
}

export const sumOfLast = (perDay: readonly number[], count: number): number =>
  perDay.slice(-count).reduce((total, views) => total + views, 0)

/** How many of the views that a tag shows fall within the period: `totalViews` less the number before the period. */
export async function viewsWithin(
  { q }: Pick<Db, 'q'>,
  { tag, totalViews, period }: { tag: string; totalViews: number; period: Period },
  now: Instant,
): Promise<number> {
  const first = await q
    .selectFrom('badge')
    .innerJoin('badge_day as day', 'day.tag', 'badge.tag')
    .select(sql<number>`day.camo + day.other + badge.base - badge.reset_views`.as('before'))
    .where('badge.tag', '=', tag)
    .where('day.day', '>', dayOf(now - days(daysOf[period])))
    .orderBy('day.day')
    .limit(1)
    .executeTakeFirst()
  return first ? Math.max(0, totalViews - first.before) : 0
}
