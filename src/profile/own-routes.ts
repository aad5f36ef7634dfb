import { auditAndNotify, signInChanged } from '../notices/account-changes.ts'
import { accountName } from '../people/audit/fields.ts'
import { writeAudit } from '../people/audit/log.ts'
import { credentialsProvider } from '../people/contract.ts'
import { keptPassword, providersOf, removeSignInMethod } from '../people/sign-in-methods.ts'
import { callerIsGone, lockUser, saveUser } from '../people/store.ts'
import type { Context } from '../platform/context.ts'
import { type Actor, actorOf, originOf } from '../platform/http/access/actor.ts'
import { callerOf, recentProof, signedIn } from '../platform/http/access/guard.ts'
import type { App, Caller } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { accessChanged } from '../platform/live/events.ts'
import { HttpError, invalid, notFound } from '../shared/http-error.ts'
import { isSameMethod, type SignInMethod } from '../shared/user.ts'
import type { Auth, AuthContext } from '../sign-in/auth.ts'
import { ownCalls } from '../sign-in/contract.ts'
import { tooManyGuesses } from '../sign-in/limits/guess-limit.ts'
import { changePassword } from '../sign-in/passwords/change-password.ts'
import { hashPassword, verifyPassword } from '../sign-in/passwords/password.ts'
import { whyNotPassword } from '../sign-in/passwords/password-rules.ts'
import type { Provider } from '../sign-in/providers/provider.ts'
import { endSessions, sessionsOf } from '../sign-in/sessions.ts'
import { otherMethodWorks } from '../sign-in/working-methods.ts'

const noPassword = "You don't have a password yet. Ask an admin to set one."
const changedMeanwhile = 'Your password was changed in the meantime. Sign in again.'
const sessionIdOf = ({ via }: Caller) => (via.kind === 'session' ? via.sessionId : undefined)

/** The calls by which users manage their own password and sessions. */
export function ownRoutes(app: App, context: AuthContext, { guesses, providers, trail }: Auth): void {
  const { db, now, events, notify } = context
  const route = routesOf(app, ownCalls, 'Your account')
  route(
    'PATCH /api/v1/user/password',
    {
      ...signedIn('never'),
      summary: 'Change your password',
      failures: { 409: [noPassword, changedMeanwhile], 429: tooManyGuesses },
    },
    async (request) => {
      const caller = callerOf(request)
      const { user } = caller
      const { current, password } = request.body
      const why = whyNotPassword(password, { ...user, username: user.credUsername })
      if (why) throw invalid('password', why)
      const kept = await keptPassword(db.q, user.id)
      if (!kept) throw new HttpError(409, noPassword)
      const guess = { name: user.email, userId: user.id, address: request.ip }
      const check = () => guesses.proof.guess(guess, () => verifyPassword({ hash: kept.hash, password: current }))
      const right = await trail.checking(user, originOf(request), 'wrong', check)
      if (!right) throw invalid('current', 'Current password is incorrect.')
      const target = { id: user.id, name: user.email }
      const change = { actor: actorOf(request), target, hash: await hashPassword(password), keep: sessionIdOf(caller) }
      const ended = await db.q.transaction().execute(async (tx) => {
        // Hashing takes time, in which somebody else may have set or removed the password.
        await lockUser(db, tx, { id: user.id }, callerIsGone)
        if ((await keptPassword(tx, user.id))?.hash !== kept.hash) throw new HttpError(409, changedMeanwhile)
        return changePassword({ db, notify }, tx, change, now())
      })
      events.publish(signInChanged(user.id))
      return { ended }
    },
  )

  route(
    'GET /api/v1/user/password',
    { ...signedIn('read'), summary: 'Check whether an admin set your password' },
    async (request) => ({ givenAt: (await keptPassword(db.q, callerOf(request).user.id))?.givenAt ?? null }),
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
    { ...signedIn('never'), summary: 'End a session, or all others', failures: { 404: 'Session not found.' } },
    async (request) => {
      const caller = callerOf(request)
      const { id } = request.query
      const which = id === undefined ? { keep: sessionIdOf(caller) } : { id }
      const ended = await db.q.transaction().execute(async (tx) => {
        const count = await endSessions(tx, caller.user.id, which)
        const changes = [{ field: 'sessions', from: null, to: count }]
        if (count > 0) await writeAudit(tx, now(), { actor: actorOf(request), action: 'user.sessions', changes })
        return count
      })
      if (id !== undefined && ended === 0) throw notFound('Session')
      events.publish([accessChanged(caller.user.id)])
      return { ended }
    },
  )

  route(
    'DELETE /api/v1/user/provider',
    {
      ...recentProof(signedIn('never')),
      summary: 'Unlink a sign-in method',
      failures: { 404: 'Provider not found.', 409: 'This is your only sign-in method. Link another one first.' },
    },
    async (request) => {
      const { providerId, accountId } = request.query
      const by = { actor: actorOf(request), userId: callerOf(request).user.id }
      await unlink(context, providers, by, { providerId, accountId })
      return { providerId, accountId }
    },
  )
}

/** Removes one of a user's sign-in methods. Throws a 404 if it isn't the user's, a 409 if no working one would remain. */
export async function unlink(
  { db, now, events, config, notify }: Pick<Context, 'db' | 'now' | 'events' | 'config' | 'notify'>,
  offered: readonly Provider[],
  { actor, userId }: { actor: Actor; userId: string },
  method: SignInMethod,
): Promise<void> {
  await db.q.transaction().execute(async (tx) => {
    // Two simultaneous calls must not each count on the method that the other removes.
    const user = await lockUser(db, tx, { id: userId }, callerIsGone)
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
