import { changesTo, editUser } from '../admission/access/edit-user.ts'
import { auditAndNotify, signInChanged } from '../notices/account-changes.ts'
import { endLinks, lastLink, linkInterval, queueEmailChangeMail, queueLinkMail, validLink } from '../notices/mail.ts'
import { auditCalls, nextPage } from '../people/audit/contract.ts'
import { accountName, writeAudit } from '../people/audit/log.ts'
import { readActivity } from '../people/audit/store.ts'
import { credentialsProvider, isPlaceholderEmail, reservedEmail } from '../people/contract.ts'
import { providersOf, removeSignInMethod, storedPasswordOf } from '../people/sign-in-methods.ts'
import { lockUser, saveUser, sessionUser, userById } from '../people/store.ts'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import { transact } from '../platform/db/transact.ts'
import { type ActingUser, actingUserOf, actorOf } from '../platform/http/access/actor.ts'
import { callerOf, recentProof, requireRecentProof, sessionIdOf, signedIn } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { accessChanged } from '../platform/live/events.ts'
import { rateLimiter } from '../platform/net/visit-limits.ts'
import { callerDeleted, formatWait, HttpError, invalid, notFound } from '../shared/http-error.ts'
import { hours, seconds } from '../shared/time.ts'
import { isSameMethod, type SignInMethod } from '../shared/user.ts'
import type { Auth, AuthContext } from '../sign-in/auth.ts'
import type { SignInConfig } from '../sign-in/config.ts'
import { ownCalls } from '../sign-in/contract.ts'
import { changePassword, isOwnPassword } from '../sign-in/passwords/change-password.ts'
import { hashPassword } from '../sign-in/passwords/password.ts'
import { passwordProblem } from '../sign-in/passwords/password-rules.ts'
import type { Provider } from '../sign-in/providers/provider.ts'
import { endSessions, sessionsOf } from '../sign-in/sessions.ts'
import { otherMethodWorks } from '../sign-in/working-methods.ts'
import { type OwnDetailsBody, type OwnEmail, ownDetailsCalls } from './contract.ts'

const passwordChangedMessage = 'Your password was changed in the meantime. Sign in again.'

export function ownRoutes(app: App, context: AuthContext, auth: Auth): void {
  const { db, now, events, notify } = context
  const route = routesOf(app, ownCalls, 'Your account')
  route(
    'PATCH /api/v1/user/password',
    {
      ...signedIn('never'),
      summary: 'Change your password',
      failures: [409, 429],
    },
    async (request) => {
      const caller = callerOf(request)
      const { user } = caller
      const { current, password } = request.body
      const why = passwordProblem(password, { ...user, username: user.credUsername })
      if (why) throw invalid('password', why)
      const stored = await storedPasswordOf(db.q, user.id)
      if (!stored) throw new HttpError(409, "You don't have a password yet. Ask an admin to set one.")
      if (!(await isOwnPassword(auth, request, stored, current)))
        throw invalid('current', 'Current password is incorrect.')
      const target = { id: user.id, name: user.email }
      const change = { actor: actorOf(request), target, hash: await hashPassword(password), keep: sessionIdOf(caller) }
      const endedCount = await transact(db, async (tx) => {
        // An admin may have set or removed the password during the hashing.
        await lockUser(db, tx, { id: user.id }, callerDeleted)
        if ((await storedPasswordOf(tx, user.id))?.hash !== stored.hash)
          throw new HttpError(409, passwordChangedMessage)
        return changePassword({ db, notify }, tx, change, now())
      })
      events.publish(signInChanged(user.id))
      return { ended: endedCount }
    },
  )

  route(
    'GET /api/v1/user/password',
    { ...signedIn('read'), summary: 'Check whether an admin set your password' },
    async (request) => ({ givenAt: (await storedPasswordOf(db.q, callerOf(request).user.id))?.givenAt ?? null }),
  )

  routesOf(app, auditCalls, 'Your account')(
    'GET /api/v1/user/activity',
    {
      ...signedIn('never'),
      summary: 'List your recent activity and attempts to sign in, newest first',
      description: nextPage,
    },
    (request) => readActivity(db.q, callerOf(request).user.id, request.query.before),
  )

  route(
    'GET /api/v1/user/sessions',
    { ...signedIn('never'), summary: 'List your sessions, newest first' },
    (request) => {
      const caller = callerOf(request)
      return sessionsOf(db, caller.user.id, sessionIdOf(caller), now())
    },
  )

  route(
    'DELETE /api/v1/user/sessions',
    { ...signedIn('never'), summary: 'End a session, or all others', failures: [404] },
    async (request) => {
      const caller = callerOf(request)
      const { id } = request.query
      const which = id === undefined ? { keep: sessionIdOf(caller) } : { id }
      const endedCount = await transact(db, async (tx) => {
        const count = await endSessions(tx, caller.user.id, which)
        const changes = [{ field: 'sessions', from: null, to: count }]
        if (count > 0) await writeAudit(tx, now(), { actor: actorOf(request), action: 'user.sessions', changes })
        return count
      })
      if (id !== undefined && endedCount === 0) throw notFound('Session')
      events.publish([accessChanged(caller.user.id)])
      return { ended: endedCount }
    },
  )

  route(
    'DELETE /api/v1/user/provider',
    {
      ...recentProof(signedIn('never')),
      summary: 'Unlink a sign-in method',
      failures: [404, 409],
    },
    async (request) => {
      const { providerId, accountId } = request.query
      await unlink(context, auth.providers, actingUserOf(request), { providerId, accountId })
      return { providerId, accountId }
    },
  )
}

/** Removes one of a user's sign-in methods. Throws a 404 if it isn't the user's, a 409 if no other one works. */
export async function unlink(
  { db, now, events, config, notify }: Pick<Context, 'db' | 'now' | 'events' | 'config' | 'notify'>,
  offered: readonly Provider[],
  { actor, user: { id: userId } }: ActingUser,
  method: SignInMethod,
): Promise<void> {
  await transact(db, async (tx) => {
    // Lock: two concurrent calls must not each rely on the method that the other removes.
    const user = await lockUser(db, tx, { id: userId }, callerDeleted)
    const links = await providersOf(tx, user)
    const link = links.find((other) => isSameMethod(other, method))
    if (!link) throw notFound('Provider')
    if (!(await otherMethodWorks(tx, { config, offered }, userId, method)))
      throw new HttpError(409, 'This is your only sign-in method. Link another one first.')
    await removeSignInMethod(tx, userId, method)
    const dropped = method.providerId === credentialsProvider ? { credUsername: null } : {}
    await saveUser(db, tx, userId, dropped, { by: actor.id, at: now() })
    await auditAndNotify({ notify }, tx, now(), userId, {
      actor,
      action: 'provider.unlink',
      target: { id: userId, name: user.email },
      changes: [{ field: 'providers', from: accountName(link), to: null }],
    })
  })
  events.publish(signInChanged(userId))
}

export function ownDetailsRoutes(app: App, context: DetailsContext & Pick<Context, 'elapsed'>): void {
  const { q } = context.db
  // The response reveals whether an email is in use, so users must not try many.
  const consumeEmail = rateLimiter(context.elapsed, { most: 10, per: hours(1), refusal: 'Too many new emails.' })

  const route = routesOf(app, ownDetailsCalls, 'Your account')
  route(
    'PATCH /api/v1/user',
    {
      ...signedIn('never'),
      summary: 'Change your name or email',
      description: [
        'A new email applies immediately and is unverified until you confirm it. If this server sends mail, it sends',
        'the new email a confirmation link, and the old one, if confirmed, a notice. A new email needs a recent proof.',
      ].join(' '),
      failures: [403, 409, 429],
    },
    async (request) => {
      const by = actingUserOf(request)
      await changeOwnDetails(context, by, request.body, () => {
        requireRecentProof(request)
        consumeEmail(by.user.id)
      })
      return sessionUser(q, by.user.id)
    },
  )

  route(
    'GET /api/v1/user/email',
    { ...signedIn('never'), summary: 'Check whether your email is confirmed' },
    (request) => ownEmail(q, callerOf(request).user.id),
  )

  route(
    'POST /api/v1/user/email/link',
    {
      ...signedIn('never'),
      summary: 'Send a confirmation link to your email',
      description: 'Allowed once an hour. The link works once, for 30 minutes.',
      failures: [409, 429],
    },
    async (request) => {
      const userId = callerOf(request).user.id
      await sendConfirmationLink(context, userId)
      return ownEmail(q, userId)
    },
  )

  route(
    'POST /api/v1/user/email/confirm',
    {
      ...signedIn('never'),
      summary: 'Confirm your email with the token mailed to it',
      failures: [403],
    },
    async (request) => ({ email: await confirmEmail(context, actingUserOf(request), request.body.token) }),
  )
}

const alreadyConfirmed = 'Your email is already confirmed.'
const alreadyMailed = 'A link was sent to this email within the last hour. Check your spam folder.'
const noEmail = 'Your account has no email. Enter one first.'
const otherUserLinkMessage = "This link is for a different user. Sign in with that user's account and open it again."

export async function ownEmail(q: Queries, userId: string): Promise<OwnEmail> {
  const user = await userById(q, userId)
  if (!user) throw callerDeleted()
  const { email, emailVerified: verified } = user
  const row = verified ? undefined : await lastLink(q, { kind: 'email', email })
  if (row?.user_id !== userId) return { email, verified, link: null }
  const { created_at: at, sent_at: sentAt, expires_at: expiresAt, note } = row
  // A link that was never sent no longer counts after it has expired.
  const nextAt = sentAt === null ? expiresAt : at + linkInterval
  return { email, verified, link: { at, sentAt, expiresAt, nextAt, note } }
}

/** Mails a confirmation link. Throws a 409 if there is nothing to confirm, a 429 within an hour of the last. */
export async function sendConfirmationLink(context: DetailsContext, userId: string): Promise<void> {
  const { db, config, jobs } = context
  if (config.smtpUrl === undefined) throw new HttpError(409, "This server doesn't send email.")
  await transact(db, async (tx) => {
    const { email, emailVerified } = await lockUser(db, tx, { id: userId }, callerDeleted)
    if (emailVerified) throw new HttpError(409, alreadyConfirmed)
    if (isPlaceholderEmail(email)) throw new HttpError(409, noEmail)
    const refused = await queueLinkMail(context, tx, { kind: 'email', userId, email })
    if (!refused) return
    const waitText = formatWait(refused.wait, 'minute')
    const retryAfter = refused.wait / seconds(1)
    throw new HttpError(429, `${alreadyMailed} You can send another in ${waitText}.`, { retryAfter })
  })
  jobs.wake()
}

/**
 * Only the user who is signed in may confirm: the owner of an email must not confirm it for another user by mistake.
 * Throws a 403 if the link no longer works or is another user's.
 */
async function confirmEmail(
  { db, now, events }: Pick<Context, 'db' | 'now' | 'events'>,
  { actor, user: { id: userId } }: ActingUser,
  token: string,
): Promise<string> {
  const email = await transact(db, async (tx) => {
    await lockUser(db, tx, { id: userId }, callerDeleted)
    const found = await validLink(tx, { kind: 'email', token }, now())
    if (!found) throw new HttpError(403, 'This link has expired or was already used. Send a new one from your profile.')
    if (found.id !== userId) throw new HttpError(403, otherUserLinkMessage)
    await endLinks(tx, { kind: 'email', userId }, now())
    if (found.email_verified) return found.email
    await saveUser(db, tx, userId, { emailVerified: true }, 'no edit')
    const target = { id: userId, name: found.email }
    const changes = [{ field: 'emailVerified', from: false, to: true }]
    await writeAudit(tx, now(), { actor, action: 'user.edit', target, changes })
    return found.email
  })
  events.publish(signInChanged(userId))
  return email
}

type DetailsContext = Pick<Context<SignInConfig>, 'config' | 'db' | 'now' | 'jobs' | 'events' | 'notify'>

/** A new email applies immediately, unverified. Throws a 400 if reserved, a 401 for a deleted user, a 409 if in use. */
export async function changeOwnDetails(
  context: DetailsContext,
  { actor, user: { id: userId } }: ActingUser,
  body: OwnDetailsBody,
  checkEmail: () => void,
): Promise<void> {
  const { db, jobs, events } = context
  const isChanged = await transact(db, async (tx) => {
    const before = await lockUser(db, tx, { id: userId }, callerDeleted)
    const { name = before.name, email = before.email } = body
    const isNew = email !== before.email
    const to = { name, email, emailVerified: before.emailVerified && !isNew }
    const changes = changesTo(before, to)
    if (changes.length === 0) return false
    if (isNew && isPlaceholderEmail(email)) throw invalid('email', reservedEmail)
    if (isNew) checkEmail()
    await editUser(context, tx, before, { to, actor, changes })
    if (!isNew) return true
    if (context.config.smtpUrl !== undefined) await queueLinkMail(context, tx, { kind: 'email', userId, email })
    // An unverified address may belong to someone else.
    if (before.emailVerified) await queueEmailChangeMail(context, tx, before.email, { actor, userId })
    return true
  })
  if (!isChanged) return
  jobs.wake()
  events.publish(signInChanged(userId))
}
