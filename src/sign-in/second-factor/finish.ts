import { sessionUser } from '../../people/store.ts'
import type { Queries } from '../../platform/db/open.ts'
import { type Origin, originOf } from '../../platform/http/access/actor.ts'
import type { Exchange } from '../../platform/http/access/cookie-note.ts'
import { HttpError } from '../../shared/http-error.ts'
import type { Auth, AuthContext } from '../auth.ts'
import type { NewLink } from '../providers/provider.ts'
import { keepSession } from '../sessions.ts'
import { type Challenge, passwordMark, secondStepNote } from './challenge.ts'
import { hasFactor } from './rule.ts'

export const expired = () => new HttpError(401, 'This sign-in has expired. Please start again.')

type FirstStep = Omit<Challenge, 'id'>

/** Holds the message for the error page, whose address is always the same. */
export const refusalCookie = 'toolbox.refusal'

/** After a sign-in: its user accepts the invitation that was opened in this browser, which forgets earlier refusals and who waited. */
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

/** Signs in a user who has passed every step. Throws a 403 if they aren't active, a 401 if the password changed or the factor was reset meanwhile. */
export async function finishSignIn(
  context: AuthContext,
  auth: Auth,
  { request, reply }: Exchange,
  { userId: id, password, link, by }: FirstStep & { by: { method: string } | { factor: string } },
) {
  const { db } = context
  const from = { ipAddress: request.ip, userAgent: request.headers['user-agent'] ?? '' }
  const token = await auth.openSession(id, from).catch(async (error: unknown) => {
    if (error instanceof HttpError) await auth.trail.failed({ id }, originOf(request), 'refused')
    throw error
  })
  const isSame = async (tx: Queries) =>
    (await passwordMark(tx, id)) === password && (await hasFactor(tx, context.config, id))
  if (!(await keepSession(db, { id, token }, isSame))) throw expired()
  const replaced = auth.cookie.open(request.cookies[auth.cookie.name])
  await auth.sessionOpened({ token, replaced, origin: originOf(request) })
  reply.setCookie(auth.cookie.name, auth.cookie.sign(token), auth.cookieAttributes)
  await auth.trail.succeeded({ id }, originOf(request), by)
  if (link) await linkNow(context, auth, { userId: id, link }, originOf(request))
  await concludeSignIn(context, { request, reply }, id)
  return { user: await sessionUser(db.q, id) }
}

/** Links an account that came with the first step, unless it was linked to somebody else meanwhile. */
async function linkNow(
  context: AuthContext,
  { providers }: Auth,
  { userId, link }: { userId: string; link: NewLink },
  origin: Origin,
): Promise<void> {
  const { providerId, ...account } = link
  const provider = providers.find(({ id }) => id === providerId)
  if (!provider) return
  const identity = { ...account, name: account.username, email: undefined }
  const linking = { begunBy: userId, now: userId, proves: false, signsIn: true }
  await context.admission.signInWithProvider(context, { provider, identity, origin, linking, inviteId: undefined })
}
