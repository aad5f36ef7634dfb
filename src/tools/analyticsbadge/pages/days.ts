import { formatCount } from '../../../shared/count.ts'
import { dayOf, days, type Instant } from '../../../shared/time.ts'
import type { BadgeStats } from '../contract.ts'
import type { Source } from '../terms.ts'

export type Day = BadgeStats['days'][number]
export const sourceNames: Record<Source, string> = { camo: "GitHub's image proxy", other: 'Other' }
const shownDays = 90

/** Each of the last 90 days, with or without views. */
export function lastDays(seen: readonly Day[], now: Instant): Day[] {
  const byDay = new Map(seen.map((one) => [one.day, one]))
  return Array.from({ length: shownDays }, (_, index) => {
    const day = dayOf(now - days(shownDays - 1 - index))
    return byDay.get(day) ?? { day, views: 0, camo: 0, other: 0 }
  })
}

/** `21/11`, of a UTC day. */
export const dayName = (day: string): string => day.slice(5).split('-').reverse().join('/')

export const viewsOf = (count: number): string => `${formatCount(count)} ${count === 1 ? 'view' : 'views'}`
