import { accessChanged } from '../server/http/events.ts'
import { open } from '../server/http/guard.ts'
import type { App } from '../server/http/server.ts'
import type { Kit } from '../server/kit.ts'
import { Fault, invalid } from '../shared/fault.ts'
import { sessionUser, userByUsername } from '../users/store.ts'
import type { Auth, AuthKit } from './better-auth.ts'
import { askBetterAuth, insistOnSuccess } from './bridge.ts'
import { SessionState, SignInBody, SignOutAnswer, SocialAnswer, SocialBody } from './contract.ts'
import type { GuessLimit } from './guess-limit.ts'

/** A name outside what names may be: nobody has it. */
const nobody = '*'
const wrong = () => new Fault(401, 'Wrong user name or password.')

/** Better Auth's own paths, those in use: what is not named here does not exist. */
export function signInRoutes(app: App, kit: AuthKit & Pick<Kit, 'events'>, auth: Auth, guesses: GuessLimit): void {
  app.post(
    '/api/auth/sign-in/username',
    { ...open(), schema: { body: SignInBody, response: { 200: SessionState } } },
    async (request, reply) => {
      const name = request.body.username.toLowerCase()
      const known = await userByUsername(kit.db.q, name)
      // Without a password there is nothing to compare; as nobody, it takes as long as a wrong one.
      const username = known?.password ? name : nobody
      let refused: string | undefined
      const right = await guesses.guess(`name ${name}`, request.ip, async () => {
        const answer = await askBetterAuth(auth, request, reply, { username, password: request.body.password })
        if (answer.status === 401) return false
        if (answer.body.code === 'AccessDenied') refused = answer.body.message ?? 'This account may not sign in.'
        else insistOnSuccess(answer)
        return true
      })
      if (!right || !known) throw wrong()
      if (refused !== undefined) throw new Fault(403, refused)
      return { user: await sessionUser(kit.db.q, known.id) }
    },
  )

  app.post(
    '/api/auth/sign-out',
    { ...open(), schema: { response: { 200: SignOutAnswer } } },
    async (request, reply) => {
      insistOnSuccess(await askBetterAuth(auth, request, reply, {}))
      if (request.caller) kit.events.publish([accessChanged(request.caller.user.id)])
      return { user: null }
    },
  )

  for (const path of ['/api/auth/sign-in/social', '/api/auth/link-social'])
    app.post(
      path,
      { ...open(), schema: { body: SocialBody, response: { 200: SocialAnswer } } },
      async (request, reply) => {
        if (!auth.providers.some(({ id }) => id === request.body.provider))
          throw invalid('provider', 'This provider is not set up here.')
        const answer = await askBetterAuth(auth, request, reply, request.body)
        insistOnSuccess(answer)
        return SocialAnswer.parse(answer.body)
      },
    )

  app.get<{ Params: { provider: string } }>('/api/auth/callback/:provider', open(), async (request, reply) => {
    if (!auth.providers.some(({ id }) => id === request.params.provider)) throw new Fault(404, 'Not found.')
    const answer = await askBetterAuth(auth, request, reply)
    insistOnSuccess(answer)
    return reply.redirect(answer.location ?? '/', 302)
  })
}
