import { sql } from 'kysely'
import type { Context } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/open.ts'
import { deleteInBatches } from '../../../platform/db/rows/write.ts'
import { dayOf, days, type Instant } from '../../../shared/time.ts'
import type { BadgeStats } from '../contract.ts'
import { viewsByDay } from '../periods.ts'
import { shownViews } from './ledger.ts'

const shownDays = 90
/** Days are kept this long; the total stays. */
const keptDays = 400

/** A tag's views in total, and on each of the last 90 days with any. */
export async function statsOf({ q }: Pick<Db, 'q'>, tag: string, now: Instant): Promise<BadgeStats> {
  const begun = await q
    .selectFrom('badge')
    .leftJoin('badge_day as day', (join) =>
      join.onRef('day.tag', '=', 'badge.tag').on('day.day', '>', dayOf(now - days(shownDays))),
    )
    .select(['badge.camo', 'badge.other', 'badge.last_view', shownViews.as('shown')])
    .select(['day.day', 'day.camo as camo_before', 'day.other as other_before'])
    .where('badge.tag', '=', tag)
    .orderBy('day.day')
    .execute()
  const [badge] = begun
  if (!badge) return { tag, views: 0, lastView: null, days: [] }
  return { tag, views: badge.shown, lastView: badge.last_view || null, days: viewsByDay(badge, begun) }
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

/** A tag that shows more than this is never dropped, since its number never goes back; nor is one that somebody has claimed. */
const mostViews = 3
const forgottenAfter = days(90)
const notedEvery = days(1)

const isSmall = sql<boolean>`camo + other + base <= ${sql.lit(mostViews)}`

/** Notes once a day that somebody asks for a tag that would be dropped otherwise, perhaps once nobody has claimed it any more. */
export async function noteAsked({ q }: Db, tag: string, at: Instant): Promise<void> {
  const due = at - notedEvery
  const found = await q
    .selectFrom('badge')
    .select('tag')
    .where('tag', '=', tag)
    .where(isSmall)
    .where((eb) => eb.and([eb('last_view', '<', due), eb(eb.fn.coalesce('asked_at', sql.lit(0)), '<', due)]))
    .executeTakeFirst()
  if (found) await q.updateTable('badge').set({ asked_at: at }).where('tag', '=', tag).execute()
}

/** Few enough rows that nobody waits for the statement that looks through them. */
const atOnce = 20_000

/** Drops tags of few views that nobody has asked for in a long time. */
export async function dropForgotten({ q }: Db, at: Instant, most = atOnce): Promise<void> {
  const since = at - forgottenAfter
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
