import type { FastifyRequest } from 'fastify'
import { signInChanged } from '../../notices/account-changes.ts'
import { keptPassword } from '../../people/sign-in-methods.ts'
import { actorOf, originOf } from '../../platform/http/access/actor.ts'
import { beforeSetUp, callerOf, insistOnProof, signedIn } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { proofNeeded } from '../../platform/http/description/failures.ts'
import { inboxChanged } from '../../platform/live/events.ts'
import { HttpError, invalid } from '../../shared/http-error.ts'
import type { Auth } from '../auth.ts'
import { tooManyGuesses } from '../limits/guess-limit.ts'
import { verifyPassword } from '../passwords/password.ts'
import { secondFactorCalls } from './contract.ts'
import type { SecondFactorContext } from './factor.ts'
import { factorOf, prepareFactor, removeFactor, renewRecoveryCodes } from './factor.ts'
import { passkeysOf } from './passkeys/store.ts'
import { isFactorRequired } from './rule.ts'

const notOn = 'Two-step sign-in is not turned on.'
const needed = "Your account needs two-step sign-in. You can replace your app, but you can't turn it off."

/** The calls by which users turn two-step sign-in on and off. */
export function ownFactorRoutes(app: App, context: SecondFactorContext, { guesses, trail }: Auth): void {
  const { db, config, events } = context

  /** Throws a 400 if the password is wrong, and without one a 403 unless its user has just proved who they are. */
  const insistOnPassword = async (request: FastifyRequest, password: string | undefined) => {
    const { user } = callerOf(request)
    const kept = await keptPassword(db.q, user.id)
    if (!kept || password === undefined) return insistOnProof(request)
    const guess = { name: user.credUsername ?? '', userId: user.id, address: request.ip }
    const check = () => guesses.proof.guess(guess, () => verifyPassword({ hash: kept.hash, password }))
    const right = await trail.checking(user, originOf(request), 'wrong', check)
    if (!right) throw invalid('password', 'Current password is incorrect.')
  }
  const insistOnFactor = async (userId: string) => {
    if (!(await factorOf(context, userId))) throw new HttpError(409, notOn)
  }

  const route = routesOf(app, secondFactorCalls, 'Your account')
  route(
    'POST /api/auth/two-factor/enable',
    {
      ...beforeSetUp(signedIn('never')),
      summary: 'Set up an authenticator app, which takes effect after its first code',
      failures: { 403: proofNeeded, 429: tooManyGuesses },
    },
    async (request) => {
      await insistOnPassword(request, request.body.password)
      return prepareFactor(context, callerOf(request).user)
    },
  )

  route(
    'POST /api/auth/two-factor/disable',
    {
      ...signedIn('never'),
      summary: 'Turn off your authenticator app',
      failures: { 403: proofNeeded, 409: [notOn, needed], 429: tooManyGuesses },
    },
    async (request) => {
      const { user } = callerOf(request)
      await insistOnFactor(user.id)
      await insistOnPassword(request, request.body.password)
      const isOnly = !(await passkeysOf(context, user.id)).some(({ works }) => works)
      if (isOnly && (await isFactorRequired(db.q, config, user.id))) throw new HttpError(409, needed)
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
      failures: { 403: proofNeeded, 409: notOn, 429: tooManyGuesses },
    },
    async (request) => {
      const { user } = callerOf(request)
      await insistOnFactor(user.id)
      await insistOnPassword(request, request.body.password)
      const backupCodes = await renewRecoveryCodes(context, actorOf(request), user)
      events.publish([inboxChanged(user.id)])
      return { backupCodes }
    },
  )
}
