import { sql } from 'kysely'
import { writeAudit } from '../people/audit/log.ts'
import { emailOf } from '../people/audit/trail.ts'
import { lockUserIfAny } from '../people/store.ts'
import type { Background } from '../platform/background.ts'
import type { Context } from '../platform/context.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { deleteInBatches } from '../platform/db/rows/write.ts'
import { instantOf, type Timestamp } from '../platform/db/storable.ts'
import { transact } from '../platform/db/transact.ts'
import type { Origin } from '../platform/http/access/actor.ts'
import { runInSequence } from '../shared/async.ts'
import { days, type Instant, type Milliseconds, minutes } from '../shared/time.ts'
import { type AuthContext, longestSession } from './auth.ts'
import type { OwnSession } from './contract.ts'
import { knownDeviceLife, knownNetworkLife } from './limits/known-places.ts'
import { rateLimitSpan } from './limits/stored-rate-limit.ts'

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

/** Ends one of a user's sessions, or all but the one to keep; returns how many ended. */
export async function endSessions(
  q: Queries,
  userId: string,
  which: { id: string } | { keep: string | undefined },
): Promise<number> {
  const own = q.deleteFrom('sessions').where('user_id', '=', userId)
  const chosen = 'id' in which ? own.where('id', '=', which.id) : own.where('id', '!=', which.keep ?? '')
  const { numDeletedRows } = await chosen.executeTakeFirst()
  return Number(numDeletedRows)
}

/** Ends a new session if the credentials changed meanwhile, as that ends all sessions; returns whether it stays. */
export const confirmSession = (
  db: Db,
  { id, token }: { id: string; token: string },
  isSame: (tx: Queries) => Promise<boolean>,
): Promise<boolean> =>
  transact(db, async (tx) => {
    await lockUserIfAny(db, tx, { id })
    if (await isSame(tx)) return true
    await tx.deleteFrom('sessions').where('token', '=', token).execute()
    return false
  })

/** Maximum sessions per user; the oldest end. */
const mostSessions = 20

/** `replaced` is the token of the session that the new one replaces in its browser. */
type OpenedSession = { token: string; replaced: string | undefined; origin: Origin }

/** Ends the session that a new one replaces, and the oldest over the limit. Returns the ids of the affected users. */
export const endReplacedSessions = (
  { db, now }: Pick<Context, 'db' | 'now'>,
  { token, replaced, origin }: OpenedSession,
) =>
  transact(db, async (tx): Promise<string[]> => {
    const deletion = tx.deleteFrom('sessions').returning('user_id')
    const before = replaced === undefined ? [] : await deletion.where('token', '=', replaced).execute()
    const oldest = await endOldest(tx, token)
    const write = async ({ user_id: id }: { user_id: string }, record: Ended) => {
      await writeAudit(tx, now(), { actor: { id, name: await emailOf(tx, id), ...origin }, ...record })
    }
    for (const one of before) await write(one, { action: 'session.end' })
    const [first] = oldest
    const changes = [{ field: 'sessions', from: null, to: oldest.length }]
    if (first) await write(first, { action: 'user.sessions', changes })
    return [...new Set([...before, ...oldest].map(({ user_id }) => user_id))]
  })
type Ended = Pick<Parameters<typeof writeAudit>[2], 'action' | 'changes'>

async function endOldest(tx: Queries, token: string): Promise<{ user_id: string }[]> {
  const opened = await tx.selectFrom('sessions').select('user_id').where('token', '=', token).executeTakeFirst()
  if (!opened) return []
  const others = tx
    .selectFrom('sessions')
    .where('user_id', '=', opened.user_id)
    .where('token', '!=', token)
    .orderBy('created_at', 'desc')
    .orderBy('id')
  const keptIds = others.select('id').limit(mostSessions - 1)
  return tx
    .deleteFrom('sessions')
    .returning('user_id')
    .where('user_id', '=', opened.user_id)
    .where('token', '!=', token)
    .where('id', 'not in', keptIds)
    .execute()
}

const writeEvery: Milliseconds = minutes(1)

/** A user's id and last use, and the last use of the session or key. */
type LastUsage = { id: string; last_usage_timestamp: Timestamp | null; last_used_at: number | null }
type SessionOrKey = { table: 'sessions' | 'api_key'; id: string }

/** Records the last use of a user and of their session or key, once a minute at most, without delaying the request. */
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
  // Concurrent requests, here or on other instances, have all read the same last use: the first to write wins.
  background.once(`recording the use of ${table} ${id}`, () =>
    transact(db, async (tx) => {
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

/** Maximum difference between clocks: each machine stamps the sign-ins it starts by its own clock. */
const maxClockSkew: Milliseconds = days(1)

/** Deletes expired sessions, unfinished sign-ins, old rate-limit counts, and long-unused networks and devices. */
export async function cleanUpSignIns({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> {
  const { q, timestamp } = db
  const at = now()
  const abandoned = timestamp(at - maxClockSkew)
  await runInSequence([
    () =>
      deleteInBatches(q, 'sessions', {
        key: ['id'],
        where: sql`expires_at <= ${timestamp(at)} or created_at <= ${timestamp(at - longestSession)}`,
      }),
    () => deleteInBatches(q, 'verifications', { key: ['id'], where: sql`expires_at <= ${abandoned}` }),
    () => deleteInBatches(q, 'rate_limits', { key: ['id'], where: sql`last_request <= ${at - rateLimitSpan}` }),
    () =>
      deleteInBatches(q, 'known_network', {
        key: ['user_id', 'network'],
        where: sql`last_at <= ${at - knownNetworkLife}`,
      }),
    () =>
      deleteInBatches(q, 'known_device', {
        key: ['user_id', 'device', 'network'],
        where: sql`last_at <= ${at - knownDeviceLife}`,
      }),
  ])
}
