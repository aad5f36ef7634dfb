import { sql } from 'kysely'
import type { Db } from '../../../platform/db/open.ts'
import { days, type Instant } from '../../../shared/time.ts'

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
