import type { Background } from '../../platform/background.ts'
import type { Timestamp } from '../../platform/db/timestamp.ts'
import { instantOf } from '../../platform/db/timestamp.ts'
import { type Instant, type Milliseconds, minutes } from '../../shared/time.ts'
import type { AuthContext } from '../auth.ts'

const writeEvery: Milliseconds = minutes(1)

/** A user's id and last use, and the last use of the session or key. */
type LastUsage = { id: string; last_usage_timestamp: Timestamp | null; last_used_at: number | null }
type SessionOrKey = { table: 'sessions' | 'api_key'; id: string }

/** Records when a user and their session or key were last used, each at most once a minute, without delaying the request. */
export function recordUsage(
  { db }: AuthContext,
  background: Background,
  user: LastUsage,
  { table, id }: SessionOrKey,
  now: Instant,
): void {
  const before = now - writeEvery
  const last = user.last_usage_timestamp
  const isUserDue = last === null || instantOf(last) <= before
  const isSessionOrKeyDue = user.last_used_at === null || user.last_used_at <= before
  if (!isUserDue && !isSessionOrKeyDue) return
  // Simultaneous requests, here or on other instances, have all read the same: the first to write wins.
  background.once(`recording the use of ${table} ${id}`, () =>
    db.q.transaction().execute(async (tx) => {
      await tx
        .updateTable('users')
        .set({ last_usage_timestamp: db.timestamp(now) })
        .where('id', '=', user.id)
        .where((eb) =>
          eb.or([eb('last_usage_timestamp', 'is', null), eb('last_usage_timestamp', '<=', db.timestamp(before))]),
        )
        .execute()
      await tx
        .updateTable(table)
        .set({ last_used_at: now })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', before)]))
        .execute()
    }),
  )
}
