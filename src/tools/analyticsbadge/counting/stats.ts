import { sql } from 'kysely'
import type { Context } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/open.ts'
import { deleteInBatches } from '../../../platform/db/rows/write.ts'
import { dayOf, days, type Instant } from '../../../shared/time.ts'
import type { BadgeStats } from '../contract.ts'
import { viewsByDay } from '../periods.ts'
import { shownViews } from './ledger.ts'

const shownDays = 90
/** Daily views are deleted after this many days; the total stays. */
const keptDays = 400

export async function statsOf({ q }: Pick<Db, 'q'>, tag: string, now: Instant): Promise<BadgeStats> {
  const rows = await q
    .selectFrom('badge')
    .leftJoin('badge_day as day', (join) =>
      join.onRef('day.tag', '=', 'badge.tag').on('day.day', '>', dayOf(now - days(shownDays))),
    )
    .select(['badge.camo', 'badge.other', 'badge.last_view', shownViews.as('shown')])
    .select(['day.day', 'day.camo as camo_before', 'day.other as other_before'])
    .where('badge.tag', '=', tag)
    .orderBy('day.day')
    .execute()
  const [badge] = rows
  if (!badge) return { tag, views: 0, lastView: null, days: [] }
  return { tag, views: badge.shown, lastView: badge.last_view || null, days: viewsByDay(badge, rows) }
}

export async function viewsToday({ q }: Pick<Db, 'q'>, now: Instant): Promise<number> {
  const { views } = await q
    .selectFrom('badge_day as day')
    .innerJoin('badge', 'badge.tag', 'day.tag')
    .select(sql<number | string>`coalesce(sum(badge.camo + badge.other - day.camo - day.other), 0)`.as('views'))
    .where('day.day', '=', dayOf(now))
    .executeTakeFirstOrThrow()
  return Number(views)
}

export async function dropOldDays({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> {
  const first = dayOf(now() - days(keptDays))
  await deleteInBatches(db.q, 'badge_day', { key: ['tag', 'day'], where: sql`day < ${first}` })
}

/** Tags that show more than this are never deleted, so that their number doesn't go back. Nor are claimed tags. */
const mostViews = 3
const unusedAfter = days(90)
const requestRecordInterval = days(1)

const isSmall = sql<boolean>`camo + other + base <= ${sql.lit(mostViews)}`

/** Records a request at most once a day, so that `dropUnusedTags` keeps the tag, even if its owner releases it later. */
export async function recordTagRequest({ q }: Db, tag: string, at: Instant): Promise<void> {
  const due = at - requestRecordInterval
  const found = await q
    .selectFrom('badge')
    .select('tag')
    .where('tag', '=', tag)
    .where(isSmall)
    .where((eb) => eb.and([eb('last_view', '<', due), eb(eb.fn.coalesce('asked_at', sql.lit(0)), '<', due)]))
    .executeTakeFirst()
  if (found) await q.updateTable('badge').set({ asked_at: at }).where('tag', '=', tag).execute()
}

/** Rows scanned per statement, few enough not to delay other statements. */
const batchSize = 20_000

/** Deletes unclaimed tags with few views that have not been requested for 90 days. */
export async function dropUnusedTags({ q }: Db, at: Instant, most = batchSize): Promise<void> {
  const since = at - unusedAfter
  for (let after = ''; ; ) {
    const part = q.selectFrom('badge').select('tag').where('tag', '>', after).orderBy('tag').limit(most)
    const tags = q.selectFrom(part.as('part')).select((eb) => eb.fn.max('tag').as('last'))
    const { last } = await tags.executeTakeFirstOrThrow()
    if (last === null) return
    await q
      .deleteFrom('badge')
      .where('tag', '>', after)
      .where('tag', '<=', last)
      .where(isSmall)
      .where('owner_id', 'is', null)
      .where('last_view', '<', since)
      .where((eb) => eb(eb.fn.coalesce('asked_at', sql.lit(0)), '<', since))
      .execute()
    after = last
  }
}
