import { sql } from 'kysely'
import type { Db, Queries } from '../../platform/db/open.ts'

/** How many items of their own a user keeps. */
const mostItems = 1_000

/** Deletes what exceeds it of these users, oldest first. */
export async function dropOldest(db: Pick<Db, 'rows'>, tx: Queries, userIds: readonly string[]): Promise<void> {
  const full = db.rows(
    'full_one',
    { user_id: 'text' },
    [...new Set(userIds)].map((user_id) => ({ user_id })),
  )
  await sql`delete from notification where id in (
    select old.id from ${full} join notification as old on old.user_id = full_one.user_id
    where old.issued_at <= (
      select kept.issued_at from notification as kept where kept.user_id = full_one.user_id
      order by kept.issued_at desc limit 1 offset ${sql.lit(mostItems)}))`.execute(tx)
}
