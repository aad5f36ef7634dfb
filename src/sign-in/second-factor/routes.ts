import type { FastifyRequest } from 'fastify'
import { signInChanged } from '../../notices/account-changes.ts'
import { storedPasswordOf } from '../../people/sign-in-methods.ts'
import { sessionUser, userById } from '../../people/store.ts'
import type { Queries } from '../../platform/db/open.ts'
import { type Actor, actorOf, originOf } from '../../platform/http/access/actor.ts'
import { beforeSetUp, callerOf, open, requireRecentProof, signedIn } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { inboxChanged } from '../../platform/live/events.ts'
import { HttpError, invalid } from '../../shared/http-error.ts'
import type { Auth } from '../auth.ts'
import { isOwnPassword } from '../passwords/change-password.ts'
import { secondFactorCalls } from './contract.ts'
import {
  type CodeCheck,
  confirmFactor,
  factorOf,
  type Person,
  prepareFactor,
  removeFactor,
  renewRecoveryCodes,
  type SecondFactorContext,
  spendAppCode,
  spendRecoveryCode,
} from './factor.ts'
import { type Challenge, endSecondStep, finishSignIn, pendingSignIn, secondStepNote, signInExpired } from './finish.ts'
import { passkeysOf } from './passkeys.ts'
import { isFactorRequired, secondStepsOf } from './rule.ts'

/** Uses up a user's code; returns false if it is wrong. */
type SpendCode = (tx: Queries, person: Person, actor: Actor, code: string) => Promise<boolean>

const wrongCode = [401, 403, 429]

/** Routes for the second step of a sign-in. Codes entered within a session count against the limit of proofs. */
export function secondStepRoutes(
  app: App,
  context: SecondFactorContext,
  auth: Auth,
  check: { signIn: CodeCheck; proof: CodeCheck },
): void {
  const { db, config } = context
  const spendApp: SpendCode = (tx, { id }, _actor, code) => spendAppCode(context, tx, id, code)
  const spendRecovery: SpendCode = (tx, person, actor, code) => spendRecoveryCode(context, tx, actor, person, code)

  /** Uses up a code for this browser's pending sign-in. Throws a 401 for a wrong code or an expired sign-in. */
  const finish = async (challenge: Challenge, request: FastifyRequest, code: string, spend: SpendCode) => {
    const person = await userById(db.q, challenge.userId)
    if (!person) throw signInExpired()
    const actor = { id: person.id, name: person.email, ...originOf(request) }
    let outcome: 'passed' | 'expired' | false = false
    await auth.trail.checkAndRecord(person, actor, 'code', async () => {
      outcome = await check.signIn(person.id, async (tx) => {
        if (!(await spend(tx, person, actor, code))) return false
        return (await endSecondStep(tx, challenge)) ? 'passed' : 'expired'
      })
      return outcome !== false
    })
    if (!outcome) throw new HttpError(401, 'Wrong code.', { fields: { code: 'Wrong code.' } })
    if (outcome === 'expired') throw signInExpired()
  }

  /** Uses up a code within the caller's session. Throws a 401 without a session: an API key has no second step. */
  const prove = async (request: FastifyRequest, code: string, spend: SpendCode) => {
    if (request.caller?.via.kind !== 'session') throw signInExpired()
    const { user } = request.caller
    if (!(await check.proof(user.id, (tx) => spend(tx, user, actorOf(request), code))))
      throw invalid('code', 'Wrong code.')
    return sessionUser(db.q, user.id)
  }

  const route = routesOf(app, secondFactorCalls, 'Sign-in')
  route(
    'GET /api/v1/auth/second-step',
    { ...open('never'), summary: 'List the methods for the second step of a sign-in' },
    async (request) => {
      const challenge = await pendingSignIn(context, request)
      if (!challenge) return { methods: [] }
      return { methods: await secondStepsOf(db.q, config, challenge.userId, challenge.account?.identity.roles) }
    },
  )

  route(
    'POST /api/auth/two-factor/verify-totp',
    {
      ...open('never'),
      summary: 'Enter a code from the authenticator app, to finish signing in or to turn it on',
      failures: wrongCode,
    },
    async (request, reply) => {
      const { code } = request.body
      const challenge = await pendingSignIn(context, request)
      if (challenge) {
        await finish(challenge, request, code, spendApp)
        return finishSignIn(context, auth, { request, reply }, { ...challenge, by: { factor: 'app code' } })
      }
      const confirm: SpendCode = async (tx, user, actor) =>
        (await confirmFactor(context, tx, actor, user, code)) ?? spendAppCode(context, tx, user.id, code)
      const user = await prove(request, code, confirm)
      context.events.publish(signInChanged(user.id))
      return { user }
    },
  )

  route(
    'POST /api/auth/two-factor/verify-backup-code',
    { ...open('never'), summary: 'Use a recovery code to finish signing in', failures: wrongCode },
    async (request, reply) => {
      const { code } = request.body
      const challenge = await pendingSignIn(context, request)
      if (challenge) {
        await finish(challenge, request, code, spendRecovery)
        context.events.publish([inboxChanged(challenge.userId)])
        return finishSignIn(context, auth, { request, reply }, { ...challenge, by: { factor: 'recovery code' } })
      }
      const user = await prove(request, code, spendRecovery)
      context.events.publish([inboxChanged(user.id)])
      return { user }
    },
  )

  routesOf(app, secondFactorCalls, 'Your account')(
    'GET /api/v1/user/second-factor',
    { ...beforeSetUp(signedIn('never')), summary: 'Get your authenticator app and passkeys' },
    async (request) => {
      const { user } = callerOf(request)
      return {
        app: (await factorOf(context, user.id)) ?? null,
        required: await isFactorRequired(db.q, config, user.id),
        passkeys: await passkeysOf(context, user.id),
      }
    },
  )
}

const factorRequiredMessage =
  "Your account needs two-step sign-in. You can replace your app, but you can't turn it off."

export function ownFactorRoutes(app: App, context: SecondFactorContext, auth: Auth): void {
  const { db, config, events } = context

  /** Throws a 400 if the password is wrong. Without a password, throws a 403 unless there is a recent proof. */
  const requirePassword = async (request: FastifyRequest, password: string | undefined) => {
    const stored = await storedPasswordOf(db.q, callerOf(request).user.id)
    if (!stored || password === undefined) return requireRecentProof(request)
    if (!(await isOwnPassword(auth, request, stored, password)))
      throw invalid('password', 'Current password is incorrect.')
  }
  const requireFactor = async (userId: string) => {
    if (!(await factorOf(context, userId))) throw new HttpError(409, 'Two-step sign-in is not turned on.')
  }

  const route = routesOf(app, secondFactorCalls, 'Your account')
  route(
    'POST /api/auth/two-factor/enable',
    {
      ...beforeSetUp(signedIn('never')),
      summary: 'Set up an authenticator app, which takes effect after its first code',
      failures: [403, 429],
    },
    async (request, reply) => {
      await requirePassword(request, request.body.password)
      // Otherwise the first code would count for another sign-in, begun in this browser and abandoned.
      secondStepNote.forget(context, { request, reply })
      return prepareFactor(context, callerOf(request).user)
    },
  )

  route(
    'POST /api/auth/two-factor/disable',
    {
      ...signedIn('never'),
      summary: 'Turn off your authenticator app',
      failures: [403, 409, 429],
    },
    async (request) => {
      const { user } = callerOf(request)
      await requireFactor(user.id)
      await requirePassword(request, request.body.password)
      const isOnly = !(await passkeysOf(context, user.id)).some(({ works }) => works)
      if (isOnly && (await isFactorRequired(db.q, config, user.id))) throw new HttpError(409, factorRequiredMessage)
      await removeFactor(context, actorOf(request), user)
      events.publish(signInChanged(user.id))
      return { status: true as const }
    },
  )

  route(
    'POST /api/auth/two-factor/generate-backup-codes',
    {
      ...signedIn('never'),
      summary: 'Replace your recovery codes',
      failures: [403, 409, 429],
    },
    async (request) => {
      const { user } = callerOf(request)
      await requireFactor(user.id)
      await requirePassword(request, request.body.password)
      const backupCodes = await renewRecoveryCodes(context, actorOf(request), user)
      events.publish([inboxChanged(user.id)])
      return { backupCodes }
    },
  )
}
