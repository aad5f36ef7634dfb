import type { FastifyRequest } from 'fastify'
import { type SqlBool, sql } from 'kysely'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { countRows } from '../../platform/db/rows/read.ts'
import { cookieNote } from '../../platform/http/access/cookie-note.ts'
import type { LiveEvent } from '../../platform/live/events.ts'
import { days, type Instant, type Milliseconds } from '../../shared/time.ts'
import { Active, Inactive, type Roles } from '../../shared/user.ts'
import type { AccessRequest, OwnRequest, WaitingPage } from './contract.ts'

/** The wait between two requests of one user, and after a declined sign-up. */
export const askAgainAfter: Milliseconds = days(1)

export const requestOf = (q: Queries, userId: string) =>
  q.selectFrom('access_request').selectAll().where('user_id', '=', userId).executeTakeFirst()
type Row = NonNullable<Awaited<ReturnType<typeof requestOf>>>

/** When the user may ask again; undefined means now, even if the clock was set back since the last request. */
export function nextRequestAt(row: Row | undefined, now: Instant): Instant | undefined {
  const next = row?.kind === 'request' && row.at <= now ? row.at + askAgainAfter : now
  return next > now ? next : undefined
}

const states = { approve: 'approved', tools: 'approved', decline: 'declined' } as const

export function toOwnRequest(row: Row | undefined, now: Instant): OwnRequest {
  if (!row || row.kind === 'sign-up') return { at: null, state: 'none', nextAt: null }
  const closed = row.decision ? states[row.decision] : 'closed'
  return {
    at: row.at,
    state: row.decided_at === null ? 'open' : closed,
    nextAt: nextRequestAt(row, now) ?? null,
  }
}

/** The state of an inactive user's sign-up; undefined if the user was made inactive later. */
export function signUpState(row: Row | undefined, now: Instant): 'waiting' | 'declined' | 'askable' | undefined {
  if (row?.kind !== 'sign-up') return undefined
  if (row.decided_at === null) return 'waiting'
  if (row.decision !== 'decline') return undefined
  return row.decided_at <= now && now < row.decided_at + askAgainAfter ? 'declined' : 'askable'
}

type Opened = Pick<Row, 'kind'> & { userId: string; message: string | null }

/** Opens a request, replacing the user's previous one. */
export async function openRequest(tx: Queries, { userId, kind, message }: Opened, at: Instant): Promise<void> {
  const row = { kind, message, at, decided_at: null, decision: null }
  await tx
    .insertInto('access_request')
    .values({ user_id: userId, ...row })
    .onConflict((on) => on.column('user_id').doUpdateSet(row))
    .execute()
}

/** Selects undecided requests, except of users who already have what they asked for. */
const selectUndecided = (q: Queries) =>
  q
    .selectFrom('access_request as request')
    .innerJoin('users', 'users.id', 'request.user_id')
    .where('request.decided_at', 'is', null)
    .where(({ and, eb, or }) =>
      or([
        and([eb('request.kind', '=', 'sign-up'), eb('users.status', '=', Inactive)]),
        and([eb('request.kind', '=', 'request'), eb('users.status', '=', Active), hasNoTools]),
      ]),
    )
const hasNoTools = sql<SqlBool>`coalesce(users.tools_level, 0) = 0`

/** All waiting users, or a page of them, newest first. */
export async function waitingUsers(q: Queries, part?: { page: number; size: number }): Promise<AccessRequest[]> {
  const all = selectUndecided(q)
    .select(['users.id', 'users.name', 'users.email', 'users.email_verified'])
    .select(['request.message', 'request.at', 'request.kind'])
    .orderBy('request.at', 'desc')
    .orderBy('users.id')
  const rows = await (part ? all.limit(part.size).offset((part.page - 1) * part.size) : all).execute()
  return rows.map(({ email_verified, ...request }) => ({ ...request, emailVerified: Boolean(email_verified) }))
}

export const waitingPage = async (q: Queries, part: { page: number; size: number }): Promise<WaitingPage> => ({
  rows: await waitingUsers(q, part),
  total: await countRows(selectUndecided(q)),
})

type Rights = { status: number; roles: Roles }

/** The kinds of requests that are moot for a user with these rights. */
const kindsToClose = ({ status, roles }: Rights): Row['kind'][] => [
  ...(status === Inactive ? [] : (['sign-up'] as const)),
  ...(status !== Active || roles.Tools > 0 ? (['request'] as const) : []),
]

/** Closes the user's request if an edit has granted or denied what it asks for. */
export async function closeRequest(
  tx: Queries,
  { id, ...rights }: Rights & { id: string },
  at: Instant,
): Promise<void> {
  const kinds = kindsToClose(rights)
  if (kinds.length === 0) return
  await tx
    .updateTable('access_request')
    .set({ decided_at: at, decision: null })
    .where('user_id', '=', id)
    .where('kind', 'in', kinds)
    .execute()
}

/** Makes the admins' screens reload the waiting users. */
export const waitingChanged: LiveEvent = { type: 'inbox', to: { role: ['Admin', 2] }, data: null }

/** A cookie with the id of the user who signed up here and waits for approval. Scripts see it; it grants nothing. */
export const waitingNote = cookieNote('waiting', days(90), { isVisible: true })

/** Whether the sign-up of this browser is pending or approved; `none` if it no longer waits. */
export async function waitingStateOf(
  context: Pick<Context, 'config' | 'db' | 'now'>,
  request: FastifyRequest,
): Promise<'pending' | 'approved' | 'none'> {
  const { q } = context.db
  const userId = waitingNote.read(context, request)
  if (userId === undefined) return 'none'
  const user = await q.selectFrom('users').select('status').where('id', '=', userId).executeTakeFirst()
  if (user?.status === Active) return 'approved'
  const row = await requestOf(q, userId)
  return user?.status === Inactive && row?.kind === 'sign-up' && row.decided_at === null ? 'pending' : 'none'
}
