import { sql } from 'kysely'
import type { Db, Queries } from '../../platform/db/open.ts'
import type { Instant } from '../../shared/time.ts'

/** How many items of their own a user keeps. */
const mostItems = 1_000

/** Deletes what exceeds it of these users, oldest first. */
export async function dropOldest(db: Pick<Db, 'rows'>, tx: Queries, userIds: readonly string[]): Promise<void> {
  const asked = db.rows(
    'asked',
    { user_id: 'text' },
    [...new Set(userIds)].map((user_id) => ({ user_id })),
  )
  // Found once for each user: within the deletion, PostgreSQL would look for it at every item.
  const { rows } = await sql<{ user_id: string; at: Instant | null }>`
    select user_id, (select issued_at from notification where notification.user_id = asked.user_id
      order by issued_at desc limit 1 offset ${sql.lit(mostItems)}) as at from ${asked}`.execute(tx)
  const full = rows.filter(({ at }) => at !== null)
  if (full.length === 0) return
  await sql`delete from notification where id in (
    select old.id from ${db.rows('full_one', { user_id: 'text', at: 'bigint' }, full)}
    join notification as old on old.user_id = full_one.user_id and old.issued_at <= full_one.at)`.execute(tx)
}
