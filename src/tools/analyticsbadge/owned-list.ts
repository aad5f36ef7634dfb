import { setImmediate } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { PersonalData } from '../../entries/tool-server.ts'
import type { Queries } from '../../platform/db/open.ts'
import { countRows } from '../../platform/db/rows/read.ts'
import { formatCount } from '../../shared/count.ts'
import { dayOf, days, type Instant } from '../../shared/time.ts'
import { OwnedBadge, recentDays } from './contract.ts'
import { shownViews } from './counting/ledger.ts'
import { lastDaysOf, sumOfLast, viewsByDay } from './periods.ts'

/** Tags per query: they have at most 3,000 daily rows, which take a few milliseconds to read and add up. */
const batchSize = 100

/** The user's claimed tags, sorted by name, or only the given one. */
export async function badgesOf(q: Queries, ownerId: string, now: Instant, tag?: string): Promise<OwnedBadge[]> {
  const claimed = q.selectFrom('badge').select('tag').where('owner_id', '=', ownerId).orderBy('tag')
  const tags = tag === undefined ? (await claimed.execute()).map((row) => row.tag) : [tag]
  const badges: OwnedBadge[] = []
  for (let from = 0; from < tags.length; from += batchSize) {
    // Let other requests run before the next query.
    if (from > 0) await setImmediate()
    badges.push(...(await read(q, ownerId, tags.slice(from, from + batchSize), now)))
  }
  return badges
}

async function read(q: Queries, ownerId: string, tags: readonly string[], now: Instant): Promise<OwnedBadge[]> {
  const rows = await q
    .selectFrom('badge')
    .innerJoin('users', 'users.id', 'badge.owner_id')
    .leftJoin('badge_day as day', (join) =>
      join.onRef('day.tag', '=', 'badge.tag').on('day.day', '>', dayOf(now - days(recentDays))),
    )
    .select(['badge.tag', 'badge.camo', 'badge.other', 'badge.last_view', 'badge.base', 'badge.hidden'])
    .select(['badge.claimed_at', 'users.email', 'day.day', 'day.camo as camo_before', 'day.other as other_before'])
    .select(shownViews.as('shown'))
    .where('badge.owner_id', '=', ownerId)
    .where('badge.tag', 'in', tags)
    .orderBy('badge.tag')
    .orderBy('day.day')
    .execute()
  const byTag = Map.groupBy(rows, (row) => row.tag)
  return [...byTag.values()].map((ofTag) => {
    const [badge] = ofTag as [(typeof rows)[number]]
    const recent = lastDaysOf(viewsByDay(badge, ofTag), now)
    return {
      tag: badge.tag,
      views: badge.shown,
      lastView: badge.last_view || null,
      base: badge.base,
      hidden: badge.hidden === 1,
      claimedAt: badge.claimed_at ?? 0,
      owner: badge.email,
      today: sumOfLast(recent, 1),
      week: sumOfLast(recent, 7),
      month: sumOfLast(recent, recentDays),
      recent,
    }
  })
}

export const claimedBadges: PersonalData = {
  name: 'badges',
  Shape: z.array(OwnedBadge),
  read: (userId, { db, now }) => badgesOf(db.q, userId, now()),
  async whenDeleted(userId, { db }) {
    const tags = await countRows(db.q.selectFrom('badge').where('owner_id', '=', userId))
    if (tags === 0) return undefined
    const what = tags === 1 ? '1 claimed badge is' : `${formatCount(tags)} claimed badges are`
    return `${what} released. Badges on your pages keep counting.`
  },
}
