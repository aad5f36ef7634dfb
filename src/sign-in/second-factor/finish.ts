import { createHash, randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { storedPasswordOf } from '../../people/sign-in-methods.ts'
import { sessionUser } from '../../people/store.ts'
import type { Queries } from '../../platform/db/open.ts'
import { instantOf } from '../../platform/db/storable.ts'
import { type Origin, originOf } from '../../platform/http/access/actor.ts'
import { cookieNote, type Exchange } from '../../platform/http/access/cookie-note.ts'
import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, minutes } from '../../shared/time.ts'
import type { Auth, AuthContext } from '../auth.ts'
import { PendingAccount } from '../providers/provider.ts'
import { confirmSession } from '../sessions.ts'
import { hasFactor } from './rule.ts'

const life: Milliseconds = minutes(10)
/** The id of this browser's sign-in that waits for its second step. */
export const secondStepNote = cookieNote('second_step', life)
const Value = z.object({ userId: z.string(), password: z.nullable(z.string()), account: z.optional(PendingAccount) })

/** A sign-in that waits for its second step. */
export type Challenge = { id: string } & z.infer<typeof Value>

/** Records in the database and in a cookie that this user has passed the first step. */
export async function beginSecondStep(
  context: AuthContext,
  reply: FastifyReply,
  userId: string,
  account?: PendingAccount,
) {
  const { db, now } = context
  const id = `second-step:${randomUUID()}`
  const at = db.timestamp(now())
  const value = JSON.stringify({ userId, password: await passwordFingerprint(db.q, userId), account })
  const row = { id, identifier: id, value, expires_at: db.timestamp(now() + life), created_at: at, updated_at: at }
  await db.q.insertInto('verifications').values(row).execute()
  secondStepNote.write(context, reply, id)
}

export async function pendingSignIn(context: AuthContext, request: FastifyRequest): Promise<Challenge | undefined> {
  const { db, now } = context
  const id = secondStepNote.read(context, request)
  if (id === undefined) return undefined
  const row = await db.q.selectFrom('verifications').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row || instantOf(row.expires_at) <= now()) return undefined
  return { id, ...Value.parse(JSON.parse(row.value)) }
}

/** Uses up the sign-in; false if used before or the password has changed since. The caller has locked the user. */
export async function endSecondStep(tx: Queries, { id, userId, password }: Challenge): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('verifications').where('id', '=', id).executeTakeFirst()
  return numDeletedRows === 1n && (await passwordFingerprint(tx, userId)) === password
}

/** A fingerprint of the password, to detect a change; null without a password. */
export async function passwordFingerprint(q: Queries, userId: string): Promise<string | null> {
  const stored = await storedPasswordOf(q, userId)
  return stored ? createHash('sha256').update(stored.hash).digest('base64url') : null
}

export const signInExpired = () => new HttpError(401, 'This sign-in has expired. Please start again.')

type FirstStep = Omit<Challenge, 'id'>

/** Contains the message for the error page, whose URL is always the same. */
export const refusalCookie = 'toolbox.refusal'

/** After a sign-in, accepts the invitation opened in this browser, and deletes its cookies of earlier attempts. */
export async function concludeSignIn(
  context: AuthContext,
  exchange: Exchange,
  userId: string | undefined,
): Promise<void> {
  const { request, reply } = exchange
  if (userId !== undefined) await context.admission.acceptPendingInvite(context, exchange, userId)
  if (request.cookies[refusalCookie] !== undefined) reply.setCookie(refusalCookie, '', { path: '/', maxAge: 0 })
  for (const note of [context.admission.waitingNote, secondStepNote]) note.forget(context, exchange)
}

/** Throws a 403 if the user isn't active, a 401 if the password was changed or the factor was reset meanwhile. */
export async function finishSignIn(
  context: AuthContext,
  auth: Auth,
  { request, reply }: Exchange,
  { userId: id, password, account, by }: FirstStep & { by: { method: string } | { factor: string } },
) {
  const { db } = context
  const from = { ipAddress: request.ip, userAgent: request.headers['user-agent'] ?? '' }
  const token = await auth.openSession(id, from).catch(async (error: unknown) => {
    if (error instanceof HttpError) await auth.trail.recordFailure({ id }, originOf(request), 'refused')
    throw error
  })
  const isSame = async (tx: Queries) =>
    (await passwordFingerprint(tx, id)) === password && (await hasFactor(tx, context.config, id))
  if (!(await confirmSession(db, { id, token }, isSame))) throw signInExpired()
  if (account)
    await admitPendingAccount(context, auth, { userId: id, account }, originOf(request)).catch(async (error) => {
      await db.q.deleteFrom('sessions').where('token', '=', token).execute()
      throw error
    })
  const replaced = auth.cookie.open(request.cookies[auth.cookie.name])
  await auth.sessionOpened({ token, replaced, origin: originOf(request) })
  reply.setCookie(auth.cookie.name, auth.cookie.sign(token), auth.cookieAttributes)
  await auth.trail.recordSuccess({ id }, originOf(request), by)
  await concludeSignIn(context, { request, reply }, id)
  return { user: await sessionUser(db.q, id) }
}

/**
 * Does what waited for the second step, such as linking the account. An account that was unlinked, or linked to another
 * user meanwhile, changes nothing. Throws only if a linked account's levels may not have been set.
 */
async function admitPendingAccount(
  context: AuthContext,
  { providers }: Auth,
  { userId, account }: { userId: string; account: PendingAccount },
  origin: Origin,
): Promise<void> {
  const { providerId, identity, isLinked } = account
  const provider = providers.find(({ id }) => id === providerId)
  if (!provider) return
  const linking = { begunBy: userId, now: userId, proves: isLinked, signsIn: true }
  const attempt = { provider, offered: providers, identity, origin, linking, inviteId: undefined }
  await context.admission
    .signInWithProvider(context, attempt)
    .catch(async (error: unknown) => {
      if (!(error instanceof HttpError)) throw error
      const { name } = provider
      const failure = isLinked ? `Your account wasn't updated from ${name}.` : `Your ${name} account wasn't linked.`
      const message = `${failure} ${error.message}`
      const notice = { type: 'account', userId, message, toast: 'warning' } as const
      context.events.publish(await context.notify(context.db.q, [notice]))
    })
    .catch((error: unknown) => {
      if (isLinked) throw error
      context.log.error({ err: error }, 'Failed to link an account after the second step')
    })
}
