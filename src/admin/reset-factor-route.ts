import { signInChanged } from '../notices/account-changes.ts'
import { actorOf } from '../platform/http/access/actor.ts'
import { guard, recentProof } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import type { Auth } from '../sign-in/auth.ts'
import type { SecondFactorContext } from '../sign-in/second-factor/factor.ts'
import { resetSecondFactor } from '../sign-in/second-factor/reset.ts'
import { userCalls } from './contract.ts'

/** The call by which admins help users who have lost their device. */
export function resetFactorRoute(app: App, context: SecondFactorContext, auth: Auth): void {
  routesOf(app, userCalls, 'Users')(
    'DELETE /api/v1/admin/user/second-factor',
    {
      ...recentProof(guard('Admin', 2, 'never')),
      summary: "Reset a user's two-step sign-in and passkeys, and end their sessions",
      failures: { 404: 'User not found.', 409: 'This user has no two-step sign-in to reset.' },
    },
    async (request) => {
      const { id } = request.query
      await resetSecondFactor(context, auth.providers, actorOf(request), id)
      context.events.publish(signInChanged(id))
      return { id }
    },
  )
}
