import type { Background } from '../../platform/background.ts'
import type { Timestamp } from '../../platform/db/timestamp.ts'
import { instantOf } from '../../platform/db/timestamp.ts'
import { type Instant, type Milliseconds, minutes } from '../../shared/time.ts'
import type { AuthContext } from '../better-auth.ts'

const usageEvery: Milliseconds = minutes(1)

type Used = { id: string; last_usage_timestamp: Timestamp | null; last_used_at: number | null }
type SignInMethod = { table: 'sessions' | 'api_key'; id: string }

/** Remembers that a user was here and by which session or key, each at most once a minute, without making the request wait. */
export function noteUsage(
  { db }: AuthContext,
  background: Background,
  user: Used,
  wayIn: SignInMethod,
  now: Instant,
): void {
  const before = now - usageEvery
  const last = user.last_usage_timestamp
  const isUserDue = last === null || instantOf(last) <= before
  const isWayInDue = user.last_used_at === null || user.last_used_at <= before
  if (!isUserDue && !isWayInDue) return
  const { table, id } = wayIn
  // Requests at once, here or on other instances, have all read what was there before: the first to write wins.
  background.once(`noting the use of ${table} ${id}`, () =>
    db.q.transaction().execute(async (q) => {
      await q
        .updateTable('users')
        .set({ last_usage_timestamp: db.timestamp(now) })
        .where('id', '=', user.id)
        .where((eb) =>
          eb.or([eb('last_usage_timestamp', 'is', null), eb('last_usage_timestamp', '<=', db.timestamp(before))]),
        )
        .execute()
      await q
        .updateTable(table)
        .set({ last_used_at: now })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', before)]))
        .execute()
    }),
  )
}
