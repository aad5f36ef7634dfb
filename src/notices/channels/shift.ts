import { sql } from 'kysely'
import type { Db, Queries } from '../../platform/db/open.ts'
import type { Milliseconds } from '../../shared/time.ts'

/** The clock was set by this much: moves since when these channels have been failing, with the jobs that try again. */
export async function shiftChannels(db: Db, tx: Queries, ids: readonly string[], by: Milliseconds): Promise<void> {
  if (ids.length === 0) return
  await sql`update channel set failing_since = failing_since + ${by}, told_at = told_at + ${by}
    where ${db.isOneOf('id', ids)}`.execute(tx)
}
