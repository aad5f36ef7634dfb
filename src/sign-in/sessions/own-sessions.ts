import type { Db } from '../../platform/db/open.ts'
import { instantOf } from '../../platform/db/timestamp.ts'
import type { Instant } from '../../shared/time.ts'
import { longestSession } from '../auth.ts'
import type { OwnSession } from '../contract.ts'

/** A user's sessions that haven't expired, newest first. */
export async function sessionsOf(
  db: Db,
  userId: string,
  currentId: string | undefined,
  now: Instant,
): Promise<OwnSession[]> {
  const rows = await db.q
    .selectFrom('sessions')
    .select(['id', 'created_at', 'updated_at', 'expires_at', 'ip_address', 'user_agent', 'last_used_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', db.timestamp(now))
    .where('created_at', '>', db.timestamp(now - longestSession))
    .orderBy('created_at', 'desc')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    createdAt: instantOf(row.created_at),
    renewedAt: instantOf(row.updated_at),
    lastUsedAt: row.last_used_at ?? instantOf(row.updated_at),
    expiresAt: instantOf(row.expires_at),
    address: row.ip_address || null,
    userAgent: row.user_agent || null,
    current: row.id === currentId,
  }))
}
