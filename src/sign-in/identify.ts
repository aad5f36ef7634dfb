import type { FastifyRequest } from 'fastify'
import { readUser, userColumns } from '../people/store.ts'
import { lookUp } from '../platform/db/look-up.ts'
import { instantOf } from '../platform/db/storable.ts'
import { type Caller, type Identify, keyIn } from '../platform/http/app.ts'
import type { Instant } from '../shared/time.ts'
import { Active } from '../shared/user.ts'
import { callerByKey } from './api-keys.ts'
import { type Auth, type AuthContext, longestSession, renewSessionAfter, sessionLife } from './auth.ts'
import { isRecent } from './recent-proof.ts'
import { mustSetUp } from './second-factor/rule.ts'
import { recordUsage } from './sessions.ts'

const bothScopes = ['read', 'write'] as const

/** Finds the caller by API key or session cookie, in one query. Blocks and ended sessions take effect immediately. */
export function identify(context: AuthContext, auth: Auth): Identify {
  const byKey = callerByKey(context, auth)
  const bySession = callerBySession(context, auth)
  return (request) => {
    const key = keyIn(request)
    return key === undefined ? bySession(request) : byKey(request, key)
  }
}

function callerBySession(context: AuthContext, { cookie, background }: Auth) {
  const sessionByToken = lookUp(context.db, (isAsked) =>
    context.db.q
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select([
        'sessions.token as asked',
        'sessions.id as session_id',
        'sessions.created_at',
        'sessions.expires_at',
        'sessions.updated_at as renewed_at',
        'sessions.last_used_at',
        'sessions.proved_at',
        ...userColumns,
        'users.last_usage_timestamp',
        mustSetUp(context.config).as('must_set_up'),
      ])
      .where(isAsked('sessions.token')),
  )
  return async (request: FastifyRequest): Promise<Caller | undefined> => {
    const token = cookie.open(request.cookies[cookie.name])
    if (token === undefined) return undefined
    const row = await sessionByToken(token)
    const now = context.now()
    if (!row || row.status !== Active || instantOf(row.expires_at) <= now) return undefined
    // Sessions created before the maximum lifetime was introduced may have a later expiry in their row.
    const end = instantOf(row.created_at) + longestSession
    if (end <= now) return undefined
    if (now - instantOf(row.renewed_at) >= renewSessionAfter)
      background.once(`renewing session ${row.session_id}`, () => renew(context, row.session_id, now, end))
    recordUsage(context, background, row, { table: 'sessions', id: row.session_id }, now)
    const isProven = isRecent(instantOf(row.created_at), now) || isRecent(row.proved_at ?? 0, now)
    return {
      user: readUser(row),
      via: { kind: 'session', sessionId: row.session_id, token, isProven },
      scopes: bothScopes,
      mustSetUp: row.must_set_up === 1,
    }
  }
}

async function renew({ db }: AuthContext, id: string, now: Instant, end: Instant) {
  await db.q
    .updateTable('sessions')
    .set({ updated_at: db.timestamp(now), expires_at: db.timestamp(Math.min(now + sessionLife, end)) })
    .where('id', '=', id)
    .execute()
}
