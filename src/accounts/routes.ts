import { providersOf } from '../people/sign-in-methods.ts'
import type { Context } from '../platform/context.ts'
import { actorOf, originOf } from '../platform/http/access/actor.ts'
import { callerOf, open, recentProof, signedIn } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import type { Auth, AuthContext } from './better-auth.ts'
import { Providers, SessionState, SetupAnswer, SetupBody, UnlinkAnswer, UnlinkQuery } from './contract.ts'
import { forgottenRoutes } from './credentials/forgotten/routes.ts'
import { guessLimit } from './credentials/guess-limit.ts'
import { signInRoutes } from './credentials/sign-in.ts'
import { inviteRoutes } from './invites/routes.ts'
import { ownDetailsRoutes } from './own-details/routes.ts'
import { ownRoutes } from './own-routes.ts'
import { callbackRoute } from './providers/callback.ts'
import { unlink } from './providers/unlink.ts'
import { resetFactorRoute } from './second-factor/admin-routes.ts'
import { codeCheck } from './second-factor/codes/codes.ts'
import { ownFactorRoutes } from './second-factor/own-routes.ts'
import { passkeyRoutes } from './second-factor/passkeys/routes.ts'
import { secondStepRoutes } from './second-factor/routes.ts'
import { proofRoute } from './sessions/proof-route.ts'
import { setUp } from './set-up/set-up.ts'

const tags = ['Sign-in']
const noRoles = { Admin: 0, Tools: 0 } as const

/** The calls for signing in and out, for set-up links, and for a user's own password and sessions. */
export function authRoutes(
  app: App,
  context: AuthContext & Pick<Context, 'events' | 'secrets' | 'jobs' | 'elapsed'>,
  auth: Auth,
): void {
  const guesses = guessLimit(context)
  const proofGuesses = guessLimit(context, 'proof')
  const checkCode = { signIn: codeCheck(context, 'sign-in'), proof: codeCheck(context, 'proof') }
  app.addHook('onClose', () => auth.background.drained())
  app.addHook('onClose', () => auth.trail.drained())
  signInRoutes(app, context, auth, guesses)
  callbackRoute(app, context, auth)
  forgottenRoutes(app, context, guesses)
  ownRoutes(app, context, auth, proofGuesses)
  ownDetailsRoutes(app, context)
  secondStepRoutes(app, context, auth, checkCode)
  ownFactorRoutes(app, context, auth, proofGuesses)
  passkeyRoutes(app, context, auth)
  proofRoute(app, context, auth, { guesses: proofGuesses, checkCode: checkCode.proof })
  resetFactorRoute(app, context, auth)
  inviteRoutes(app, context)

  app.get(
    '/api/v1/auth/providers',
    { ...open(), schema: { tags, summary: 'List sign-in providers', response: { 200: Providers } } },
    async () => auth.providers.map(({ id, name }) => ({ id, name })),
  )

  app.get(
    '/api/v1/auth/session',
    { ...open(), schema: { tags, summary: 'Get the signed-in user', response: { 200: SessionState } } },
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

  app.post(
    '/api/v1/auth/setup',
    {
      ...open(),
      schema: {
        tags,
        summary: 'Complete a set-up link',
        failures: {
          403: 'This link has expired or was already used. Restart the server, or ask for a new link.',
          404: 'User not found.',
          409: 'This email is already in use.',
        },
        body: SetupBody,
        response: { 201: SetupAnswer },
      },
    },
    async (request, reply) => reply.code(201).send(await setUp(context, request.body, originOf(request))),
  )

  app.delete(
    '/api/v1/user/provider',
    {
      ...recentProof(signedIn()),
      schema: {
        tags: ['Your account'],
        summary: 'Unlink a sign-in method',
        failures: { 404: 'Provider not found.', 409: 'This is your only sign-in method. Link another one first.' },
        querystring: UnlinkQuery,
        response: { 200: UnlinkAnswer },
      },
    },
    async (request) => {
      const { providerId, accountId } = request.query
      const by = { actor: actorOf(request), userId: callerOf(request).user.id }
      await unlink(context, auth.providers, by, { providerId, accountId })
      return { providerId, accountId }
    },
  )
}
