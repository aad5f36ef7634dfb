import type { FastifyReply, FastifyRequest } from 'fastify'
import { writeAudit } from '../people/audit/log.ts'
import { keptPassword, userByUsername } from '../people/sign-in-methods.ts'
import { sessionUser } from '../people/store.ts'
import { lockRows } from '../platform/db/locks.ts'
import type { Db } from '../platform/db/open.ts'
import { actorOf, originOf } from '../platform/http/access/actor.ts'
import { insistOnProof, open, signedIn } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { accessChanged } from '../platform/live/events.ts'
import { networksOf } from '../platform/net/networks.ts'
import { HttpError, invalid } from '../shared/http-error.ts'
import { seconds } from '../shared/time.ts'
import { askBetterAuth, insistOnSuccess } from './ask-better-auth.ts'
import { type Auth, type AuthContext, needsSecondStep } from './auth.ts'
import { type LinkBody, SocialAnswer, signInCalls } from './contract.ts'
import { tooManyGuesses } from './limits/guess-limit.ts'
import { storedRateLimiter } from './limits/stored-rate-limit.ts'
import { isRefusal, sentenceOf } from './providers/refusal.ts'
import { beginSecondStep } from './second-factor/challenge.ts'
import { concludeSignIn } from './second-factor/finish.ts'
import { secondStepsOf } from './second-factor/rule.ts'

/** Not a valid username, so nobody has it. */
const nobody = '*'
const wrong = () => new HttpError(401, 'Wrong username or password.')

const tooManyVisits = 'Too many sign-ins with a provider.'

/** Better Auth's paths that are in use; all others don't exist. */
export function signInRoutes(app: App, context: AuthContext, auth: Auth): void {
  const route = routesOf(app, signInCalls, 'Sign-in')
  route(
    'POST /api/auth/sign-in/username',
    {
      ...open('never'),
      summary: 'Sign in with username and password',
      failures: {
        401: 'Wrong username or password.',
        403: 'Your account is blocked. Contact an admin.',
        429: tooManyGuesses,
      },
    },
    async (request, reply) => {
      const name = request.body.username.toLowerCase()
      const known = await userByUsername(context.db.q, name)
      // A user without a password is checked as nobody, which takes as long as a wrong password.
      const username = known?.password ? name : nobody
      let refused: string | undefined
      let token: string | undefined
      let isHalfWay = false
      const origin = originOf(request)
      const check = async () => {
        const answer = await askBetterAuth(auth, request, reply, { username, password: request.body.password })
        if (answer.status === 401) return false
        if (answer.body.code === needsSecondStep) isHalfWay = true
        else if (isRefusal(answer.body.code)) refused = sentenceOf(answer.body.code)
        else insistOnSuccess(answer)
        token = answer.body.token
        return true
      }
      const guess = () => auth.guesses.signIn.guess({ name, userId: known?.id, address: request.ip }, check)
      const right = await auth.trail.checking(known, origin, 'wrong', guess)
      if (!right || !known) throw wrong()
      if (refused !== undefined) {
        await auth.trail.failed(known, origin, 'refused')
        throw new HttpError(403, refused)
      }
      if (isHalfWay) {
        await beginSecondStep(context, reply, known.id)
        return {
          twoFactorRedirect: true as const,
          twoFactorMethods: await secondStepsOf(context.db.q, context.config, known.id),
        }
      }
      if (token !== undefined && !(await keepIfUnchanged(context.db, known, token))) {
        reply.removeHeader('set-cookie')
        throw wrong()
      }
      await auth.trail.succeeded(known, origin, { method: 'password' })
      await concludeSignIn(context, { request, reply }, known.id)
      return { user: await sessionUser(context.db.q, known.id) }
    },
  )

  route('POST /api/auth/sign-out', { ...open('never'), summary: 'Sign out' }, async (request, reply) => {
    // The provider's own session goes on: only its user knows what else it is for.
    insistOnSuccess(await askBetterAuth(auth, request, reply, {}))
    if (request.caller) {
      await writeAudit(context.db.q, context.now(), { actor: actorOf(request), action: 'session.end' })
      context.events.publish([accessChanged(request.caller.user.id)])
    }
    return { user: null }
  })

  const visits = storedRateLimiter(context, { most: 40, span: seconds(10), refusal: tooManyVisits })
  const begin = async (request: FastifyRequest<{ Body: LinkBody }>, reply: FastifyReply) => {
    const { provider, callbackURL, prove = false } = request.body
    if (!auth.providers.some(({ id }) => id === provider)) throw invalid('provider', "This provider isn't set up here.")
    await visits.take(`provider:${networksOf(request.ip)[0]}`)
    const answer = await askBetterAuth(auth, request, reply, {
      provider,
      callbackURL: pathOfThisSite(callbackURL, context.config.origins),
      // Stored with the state, so that only this provider's callback can use it.
      additionalData: { provider, ...(prove && { provesSince: context.now() }) },
    })
    insistOnSuccess(answer)
    return SocialAnswer.parse(answer.body)
  }
  const failures = { 429: `${tooManyVisits} Try again in a minute.`, 503: sentenceOf('trouble') }
  route(
    'POST /api/auth/sign-in/social',
    { ...open('never'), summary: 'Start signing in with a provider', failures },
    begin,
  )
  route(
    'POST /api/auth/link-social',
    {
      ...signedIn('never'),
      summary: 'Start linking a provider',
      failures: { ...failures, 403: "Confirm that it's you to continue." },
      description: "With `prove`, start proving that it's you by an account that is linked already.",
    },
    (request, reply) => {
      if (!request.body.prove) insistOnProof(request)
      return begin(request, reply)
    },
  )
}

/** Ends the new session if the password was changed while it was opened, since a change ends all sessions; returns whether it stays. */
async function keepIfUnchanged(db: Db, { id, password }: { id: string; password: string | null }, token: string) {
  return db.q.transaction().execute(async (tx) => {
    await lockRows(db, tx.selectFrom('users').select('id').where('id', '=', id)).execute()
    if ((await keptPassword(tx, id))?.hash === password) return true
    await tx.deleteFrom('sessions').where('token', '=', token).execute()
    return false
  })
}

/** The path as a header value. Throws a 400 if any browser could read it as another site. */
function pathOfThisSite(wanted: string, [own = '', ...others]: readonly string[]): string {
  const url = URL.parse(wanted, own)
  const path = url && [own, ...others].includes(url.origin) ? url.pathname + url.search + url.hash : '//'
  if (path.startsWith('//')) throw invalid('callbackURL', 'Enter a path on this site, such as /user.')
  return path
}
