import type { FastifyReply, FastifyRequest } from 'fastify'
import { lockRows } from '../../platform/db/locks.ts'
import { originOf } from '../../platform/http/access/actor.ts'
import { HttpError } from '../../shared/http-error.ts'
import type { Auth, AuthContext } from '../better-auth.ts'
import { forgetRefusal } from '../providers/callback.ts'
import { sessionUser } from '../users/store.ts'
import { forgetSecondStep, passwordMark } from './challenge.ts'
import { hasFactor } from './rule.ts'

export const expired = () => new HttpError(401, 'This sign-in has expired. Please start again.')

/** Signs in a user who has passed every step. Throws a 403 if they aren't active, a 401 if the password changed or the factor was reset meanwhile. */
export async function finishSignIn(
  context: AuthContext,
  auth: Auth,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  {
    userId: id,
    password,
    by,
  }: { userId: string; password: string | null; by: { method: string } | { factor: string } },
) {
  const { db } = context
  const from = { ipAddress: request.ip, userAgent: request.headers['user-agent'] ?? '' }
  const token = await auth.openSession(id, from).catch(async (error: unknown) => {
    if (error instanceof HttpError) await auth.trail.failed({ id }, originOf(request), 'refused')
    throw error
  })
  const isSame = await db.q.transaction().execute(async (tx) => {
    await lockRows(db, tx.selectFrom('users').select('id').where('id', '=', id)).execute()
    if ((await passwordMark(tx, id)) === password && (await hasFactor(tx, context.config, id))) return true
    // A new password and a reset end all sessions, so they must end the one that was opened beside them.
    await tx.deleteFrom('sessions').where('token', '=', token).execute()
    return false
  })
  if (!isSame) throw expired()
  await auth.sessionOpened(token, auth.cookie.open(request.cookies[auth.cookie.name]))
  reply.setCookie(auth.cookie.name, auth.cookie.sign(token), auth.cookieAttributes)
  await auth.trail.succeeded({ id }, originOf(request), by)
  forgetRefusal(request, reply)
  forgetSecondStep(context, request, reply)
  return { user: await sessionUser(db.q, id) }
}
