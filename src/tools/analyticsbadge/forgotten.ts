import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { deleteInBatches } from '../../platform/db/rows/delete-in-batches.ts'
import { days, type Instant } from '../../shared/time.ts'

/** A tag with more views than this is never dropped, since its number never goes back. */
const mostViews = 3
const forgottenAfter = days(90)
const notedEvery = days(1)

const isSmall = sql<boolean>`camo + other <= ${sql.lit(mostViews)}`

/** Notes once a day that somebody asks for a tag that would be dropped otherwise. */
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

/** Drops tags of few views that nobody has asked for in a long time. */
export async function dropForgotten({ q }: Db, at: Instant): Promise<void> {
  const since = at - forgottenAfter
  const where = sql<boolean>`${isSmall} and last_view < ${since} and coalesce(asked_at, 0) < ${since}`
  await deleteInBatches(q, 'badge', { key: ['tag'], where })
}
