import { keptPassword } from '../people/sign-in-methods.ts'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import { actorOf, originOf } from '../platform/http/access/actor.ts'
import { beforeSetUp, callerOf, signedIn } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { inboxChanged } from '../platform/live/events.ts'
import { HttpError, invalid } from '../shared/http-error.ts'
import type { Auth, AuthContext } from './auth.ts'
import { signInCalls } from './contract.ts'
import { tooManyGuesses } from './limits/guess-limit.ts'
import { verifyPassword } from './passwords/password.ts'
import { recordProof } from './recent-proof.ts'
import type { CodeCheck } from './second-factor/code-check.ts'
import { spendAppCode, spendRecoveryCode } from './second-factor/factor.ts'

/** The call by which users prove who they are, for what a stolen session must not do. Wrong answers are limited like those of a sign-in, and counted apart. */
export function proofRoute(
  app: App,
  context: AuthContext & Pick<Context, 'secrets'>,
  { guesses, trail }: Auth,
  checkCode: CodeCheck,
): void {
  const { db, now } = context

  routesOf(app, signInCalls, 'Your account')(
    'POST /api/v1/auth/proof',
    {
      ...beforeSetUp(signedIn('never')),
      summary: "Prove that it's you, by your password or a code",
      failures: { 409: "You don't have a password.", 429: tooManyGuesses },
      description: 'Counts for ten minutes, as a sign-in does, for the calls that answer 403 with `reauthenticate`.',
    },
    async (request) => {
      const { user, via } = callerOf(request)
      const { password, code = '' } = request.body
      const kept = await keptPassword(db.q, user.id)
      if (password !== undefined) {
        if (!kept) throw new HttpError(409, "You don't have a password.")
        const guess = { name: user.email, userId: user.id, address: request.ip }
        const check = () => guesses.proof.guess(guess, () => verifyPassword({ hash: kept.hash, password }))
        if (!(await trail.checking(user, originOf(request), 'wrong', check)))
          throw invalid('password', 'Wrong password.')
      } else {
        const used = { recoveryCode: false }
        const spend = async (tx: Queries) => {
          if (await spendAppCode(context, tx, user.id, code.replaceAll(' ', ''))) return true
          used.recoveryCode = await spendRecoveryCode(context, tx, actorOf(request), user, code)
          return used.recoveryCode
        }
        const check = () => checkCode(user.id, spend)
        if (!(await trail.checking(user, originOf(request), 'code', check))) throw invalid('code', 'Wrong code.')
        if (used.recoveryCode) context.events.publish([inboxChanged(user.id)])
      }
      if (via.kind === 'session') await recordProof(db.q, via.sessionId, now())
      return null
    },
  )
}
