import type { FastifyRequest } from 'fastify'
import type { Caller } from '../server/http/caller.ts'
import { type Instant, type Milliseconds, minutes } from '../shared/time.ts'
import { Active } from '../shared/user.ts'
import { fromAuthInstant, parseRoles, parseTags, toAuthInstant } from '../users/store.ts'
import type { Background } from './background.ts'
import { type Auth, type AuthKit, renewSessionAfter, sessionLife } from './better-auth.ts'

const usageEvery: Milliseconds = minutes(1)
const bothScopes = ['read', 'write'] as const

/** Who makes a request, by the session cookie, in one query. Blocks and ends of sessions count at once. */
export function identify(kit: AuthKit, { cookie, background }: Auth) {
  return async (request: FastifyRequest): Promise<Caller | undefined> => {
    const token = cookie.open(request.cookies[cookie.name])
    if (token === undefined) return undefined
    const row = await sessionByToken(kit, token)
    const now = kit.now()
    if (!row || row.status !== Active || fromAuthInstant(row.expires_at) <= now) return undefined
    if (now - fromAuthInstant(row.renewed_at) >= renewSessionAfter) await renew(kit, row.session_id, now)
    noteUsage(kit, background, row, now)
    return {
      user: {
        id: row.id,
        name: row.name,
        email: row.email,
        status: row.status,
        tags: parseTags(row.tags),
        roles: parseRoles(row.roles),
        credUsername: row.cred_username,
      },
      via: { kind: 'session', sessionId: row.session_id, token },
      scopes: bothScopes,
    }
  }
}

const sessionByToken = ({ db }: AuthKit, token: string) =>
  db.q
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id as session_id',
      'sessions.expires_at',
      'sessions.updated_at as renewed_at',
      'users.id',
      'users.name',
      'users.email',
      'users.status',
      'users.tags',
      'users.roles',
      'users.cred_username',
      'users.last_usage_timestamp',
    ])
    .where('sessions.token', '=', token)
    .executeTakeFirst()

async function renew({ db }: AuthKit, id: string, now: Instant) {
  await db.q
    .updateTable('sessions')
    .set({ updated_at: toAuthInstant(db.kind, now), expires_at: toAuthInstant(db.kind, now + sessionLife) })
    .where('id', '=', id)
    .execute()
}

type Usage = { id: string; last_usage_timestamp: Parameters<typeof fromAuthInstant>[0] | null }

/** Remembers that the user was here, at most once a minute, without making the request wait. */
function noteUsage({ db }: AuthKit, background: Background, user: Usage, now: Instant) {
  const last = user.last_usage_timestamp
  if (last !== null && now - fromAuthInstant(last) < usageEvery) return
  background.once(`usage ${user.id}`, () =>
    db.q
      .updateTable('users')
      .set({ last_usage_timestamp: toAuthInstant(db.kind, now) })
      .where('id', '=', user.id)
      .execute(),
  )
}
