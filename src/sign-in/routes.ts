import { providersOf } from '../people/sign-in-methods.ts'
import type { Context } from '../platform/context.ts'
import { originOf } from '../platform/http/access/actor.ts'
import { open } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import type { Auth, AuthContext } from './auth.ts'
import { callbackRoute } from './callback.ts'
import { signInCalls } from './contract.ts'
import { forgottenRoutes } from './passwords/forgotten/routes.ts'
import { proofRoute } from './proof-route.ts'
import { codeCheck } from './second-factor/code-check.ts'
import { ownFactorRoutes } from './second-factor/own-routes.ts'
import { passkeyRoutes } from './second-factor/passkeys/routes.ts'
import { secondStepRoutes } from './second-factor/routes.ts'
import { setUp } from './set-up/set-up.ts'
import { signInRoutes } from './sign-in-routes.ts'

const noRoles = { Admin: 0, Tools: 0 } as const

/** The calls for signing in and out, for set-up links, and for a user's second factor. */
export function authRoutes(
  app: App,
  context: AuthContext & Pick<Context, 'secrets' | 'jobs' | 'elapsed'>,
  auth: Auth,
): void {
  const checkCode = { signIn: codeCheck(context, 'sign-in'), proof: codeCheck(context, 'proof') }
  app.addHook('onClose', () => auth.background.drained())
  app.addHook('onClose', () => auth.trail.drained())
  signInRoutes(app, context, auth)
  callbackRoute(app, context, auth)
  forgottenRoutes(app, context, auth)
  secondStepRoutes(app, context, auth, checkCode)
  ownFactorRoutes(app, context, auth)
  passkeyRoutes(app, context, auth)
  proofRoute(app, context, auth, checkCode.proof)

  const route = routesOf(app, signInCalls, 'Sign-in')
  route('GET /api/v1/auth/providers', { ...open('read'), summary: 'List sign-in providers' }, async () =>
    auth.providers.map(({ id, name }) => ({ id, name })),
  )

  route(
    'GET /api/v1/auth/session',
    { ...open('read'), summary: 'Get the signed-in user' },
    async ({ caller }, reply) => {
      if (!caller) return { user: null }
      // A session in use is renewed, so its cookie must be renewed too.
      if (caller.via.kind === 'session')
        reply.setCookie(auth.cookie.name, auth.cookie.sign(caller.via.token), auth.cookieAttributes)
      const { user, mustSetUp } = caller
      const providers = await providersOf(context.db.q, user)
      // Until then, no role may do anything.
      return { user: { ...user, providers, ...(mustSetUp && { mustSetUp, roles: noRoles }) } }
    },
  )

  route(
    'POST /api/v1/auth/setup',
    {
      ...open('never'),
      summary: 'Complete a set-up link',
      failures: {
        403: 'This link has expired or was already used. Restart the server, or ask for a new link.',
        404: 'User not found.',
        409: 'This email is already in use.',
      },
    },
    (request) => setUp(context, request.body, originOf(request)),
  )
}
