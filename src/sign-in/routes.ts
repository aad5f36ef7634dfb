import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { writeAudit } from '../people/audit/log.ts'
import { providersOf, storedPasswordOf, userByUsername } from '../people/sign-in-methods.ts'
import { sessionUser } from '../people/store.ts'
import type { Context } from '../platform/context.ts'
import type { Queries } from '../platform/db/open.ts'
import { actorOf, originOf } from '../platform/http/access/actor.ts'
import { cookieNote } from '../platform/http/access/cookie-note.ts'
import { beforeSetUp, callerOf, open, requireRecentProof, signedIn } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { accessChanged, inboxChanged } from '../platform/live/events.ts'
import { networksOf } from '../platform/net/networks.ts'
import { HttpError, invalid } from '../shared/http-error.ts'
import { pages } from '../shared/pages.ts'
import { minutes, seconds } from '../shared/time.ts'
import { parseUrl } from '../shared/urls/parse-url.ts'
import { askBetterAuth, type BridgeAnswer, requireSuccess } from './ask-better-auth.ts'
import type { Auth, AuthContext } from './auth.ts'
import { type LinkBody, SocialAnswer, signInCalls } from './contract.ts'
import { storedRateLimiter } from './limits/stored-rate-limit.ts'
import { isOwnPassword } from './passwords/change-password.ts'
import { forgottenRoutes } from './passwords/forgotten.ts'
import { describeOAuthError } from './providers/ask.ts'
import { needsSecondStep, type Visit, visits } from './providers/external.ts'
import { isRefusal, type Refusal, refusalMessage } from './providers/refusal.ts'
import { recordProof } from './recent-proof.ts'
import { type CodeCheck, codeCheck, spendAppCode, spendRecoveryCode } from './second-factor/factor.ts'
import { beginSecondStep, concludeSignIn, refusalCookie } from './second-factor/finish.ts'
import { passkeyRoutes } from './second-factor/passkey-routes.ts'
import { ownFactorRoutes, secondStepRoutes } from './second-factor/routes.ts'
import { secondStepsOf } from './second-factor/rule.ts'
import { confirmSession } from './sessions.ts'
import { setUp } from './set-up.ts'

const noRoles = { Admin: 0, Tools: 0 } as const

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
      // Until the second factor is set up, the user has no roles.
      return { user: { ...user, providers, ...(mustSetUp && { mustSetUp, roles: noRoles }) } }
    },
  )

  route(
    'POST /api/v1/auth/setup',
    {
      ...open('never'),
      summary: 'Complete a set-up link',
      failures: [403, 404, 409],
    },
    (request) => setUp(context, request.body, originOf(request)),
  )
}

/** Not a valid username, so no user has it. */
const nobody = '*'
const wrongCredentials = () => new HttpError(401, 'Wrong username or password.')

const tooManyVisits = 'Too many sign-ins with a provider.'

/** Routes for the Better Auth paths in use; no others are exposed. */
function signInRoutes(app: App, context: AuthContext, auth: Auth): void {
  const route = routesOf(app, signInCalls, 'Sign-in')
  route(
    'POST /api/auth/sign-in/username',
    {
      ...open('never'),
      summary: 'Sign in with username and password',
      failures: [401, 403, 429],
    },
    async (request, reply) => {
      const name = request.body.username.toLowerCase()
      const user = await userByUsername(context.db.q, name)
      // Check a user without a password like an unknown one, which takes as long as a wrong password.
      const username = user?.password ? name : nobody
      let refused: string | undefined
      let token: string | undefined
      let isHalfWay = false
      const origin = originOf(request)
      const check = async () => {
        const answer = await askBetterAuth(auth, request, reply, { username, password: request.body.password })
        if (answer.status === 401) return false
        if (answer.body.code === needsSecondStep) isHalfWay = true
        else if (isRefusal(answer.body.code)) refused = refusalMessage(answer.body.code)
        else requireSuccess(answer)
        token = answer.body.token
        return true
      }
      const guess = () => auth.guesses.signIn.guess({ name, userId: user?.id, address: request.ip }, check)
      const right = await auth.trail.checkAndRecord(user, origin, 'wrong', guess)
      if (!right || !user) throw wrongCredentials()
      if (refused !== undefined) {
        await auth.trail.recordFailure(user, origin, 'refused')
        throw new HttpError(403, refused)
      }
      if (isHalfWay) {
        await beginSecondStep(context, reply, user.id)
        return {
          twoFactorRedirect: true as const,
          twoFactorMethods: await secondStepsOf(context.db.q, context.config, user.id),
        }
      }
      const isSame = async (tx: Queries) => (await storedPasswordOf(tx, user.id))?.hash === user.password
      if (token !== undefined && !(await confirmSession(context.db, { id: user.id, token }, isSame))) {
        reply.removeHeader('set-cookie')
        throw wrongCredentials()
      }
      await auth.trail.recordSuccess(user, origin, { method: 'password' })
      await concludeSignIn(context, { request, reply }, user.id)
      return { user: await sessionUser(context.db.q, user.id) }
    },
  )

  route('POST /api/auth/sign-out', { ...open('never'), summary: 'Sign out' }, async (request, reply) => {
    // The provider's own session stays, since the user may need it for other sites.
    requireSuccess(await askBetterAuth(auth, request, reply, {}))
    if (request.caller) {
      await writeAudit(context.db.q, context.now(), { actor: actorOf(request), action: 'session.end' })
      context.events.publish([accessChanged(request.caller.user.id)])
    }
    return { user: null }
  })

  const startLimit = storedRateLimiter(context, { most: 40, span: seconds(10), refusal: tooManyVisits })
  const begin = async (request: FastifyRequest<{ Body: LinkBody }>, reply: FastifyReply) => {
    const { provider, callbackURL, prove = false } = request.body
    if (!auth.providers.some(({ id }) => id === provider)) throw invalid('provider', "This provider isn't set up here.")
    await startLimit.acquire(`provider:${networksOf(request.ip)[0]}`)
    const answer = await askBetterAuth(auth, request, reply, {
      provider,
      callbackURL: requireOwnPath(callbackURL, context.config.origins),
      // Stored with the state, so that only this provider's callback can use it.
      additionalData: { provider, ...(prove && { provesSince: context.now() }) },
    })
    requireSuccess(answer)
    return SocialAnswer.parse(answer.body)
  }
  route(
    'POST /api/auth/sign-in/social',
    { ...open('never'), summary: 'Start signing in with a provider', failures: [429] },
    begin,
  )
  route(
    'POST /api/auth/link-social',
    {
      ...signedIn('never'),
      summary: 'Start linking a provider',
      failures: [403, 429],
      description: 'With `prove`, start confirming your identity with an account that is linked already.',
    },
    (request, reply) => {
      if (!request.body.prove) requireRecentProof(request)
      return begin(request, reply)
    },
  )
}

/** Returns the path, encoded for a header. Throws a 400 if a browser could read it as another site. */
function requireOwnPath(wanted: string, [own = '', ...others]: readonly string[]): string {
  const url = parseUrl(wanted, own)
  const path = url && url.pathname + url.search + url.hash
  if (!path || path.startsWith('//') || ![own, ...others].includes(url.origin))
    throw invalid('callbackURL', 'Enter a path on this site, such as /user.')
  return path
}

/** Confirms the user's identity, for actions that a stolen session must not allow. Wrong guesses count separately. */
function proofRoute(app: App, context: AuthContext & Pick<Context, 'secrets'>, auth: Auth, checkCode: CodeCheck): void {
  const { db, now } = context

  routesOf(app, signInCalls, 'Your account')(
    'POST /api/v1/auth/proof',
    {
      ...beforeSetUp(signedIn('never')),
      summary: 'Confirm your identity with your password or a code',
      failures: [409, 429],
      description: 'Counts for ten minutes, as a sign-in does, for calls that return a 403 with `reauthenticate`.',
    },
    async (request) => {
      const { user, via } = callerOf(request)
      const { password, code = '' } = request.body
      const stored = await storedPasswordOf(db.q, user.id)
      if (password !== undefined) {
        if (!stored) throw new HttpError(409, "You don't have a password.")
        if (!(await isOwnPassword(auth, request, stored, password))) throw invalid('password', 'Wrong password.')
      } else {
        const used = { recoveryCode: false }
        const spend = async (tx: Queries) => {
          if (await spendAppCode(context, tx, user.id, code.replaceAll(' ', ''))) return true
          used.recoveryCode = await spendRecoveryCode(context, tx, actorOf(request), user, code)
          return used.recoveryCode
        }
        const check = () => checkCode(user.id, spend)
        if (!(await auth.trail.checkAndRecord(user, originOf(request), 'code', check)))
          throw invalid('code', 'Wrong code.')
        if (used.recoveryCode) context.events.publish([inboxChanged(user.id)])
      }
      if (via.kind === 'session') await recordProof(db.q, via.sessionId, now())
      return null
    },
  )
}

const errorPage = `${pages.error.path}?error=AccessDenied`
const secondStepPage = pages.secondStep.path
const refusalSeconds = 60
/** The state of this browser's last sign-in, whose callback may be reloaded. */
const returnedNote = cookieNote('returned', minutes(10))

/** The query parameters of a callback that we read; repeated ones are arrays at runtime. */
type Query = Partial<Record<'iss' | 'state' | 'error_description', string>>

/** Callback for sign-in providers. A browser opens it, so it always redirects to a page. */
function callbackRoute(app: App, context: AuthContext, auth: Auth): void {
  app.get<{ Params: { provider: string }; Querystring: Query }>(
    '/api/auth/callback/:provider',
    {
      ...open('never'),
      exposeHeadRoute: false,
      schema: {
        tags: ['Sign-in'],
        summary: 'Callback for sign-in providers',
        response: {
          302: z.unknown().register(z.globalRegistry, {
            description: 'Redirects to the requested page or to the error page.',
          }),
        },
      },
      errorHandler: (error, request, reply) => redirectToError(reply, auth, toErrorMessage(error, request)),
    },
    async (request, reply) => {
      const provider = auth.providers.find(({ id }) => id === request.params.provider)
      if (!provider) return redirectToError(reply, auth, refusalMessage('notOffered'))
      const visit: Visit = {
        origin: originOf(request),
        inviteId: context.admission.inviteNote.read(context, request),
        ...sessionOf(request),
        issuer: request.query.iss,
      }
      // The provider plugin adds the outcome to `visit` while this runs.
      const answer = await visits.run(visit, () => askBetterAuth(auth, request, reply))
      const end = endingOf(answer)
      const { state, error_description } = request.query
      if (state !== undefined && (visit.secondStepUserId !== undefined || 'to' in end))
        returnedNote.write(context, reply, state)
      if (visit.secondStepUserId !== undefined) {
        await beginSecondStep(context, reply, visit.secondStepUserId, visit.pendingAccount)
        return reply.redirect(secondStepPage, 302)
      }
      if ('refusal' in end) {
        const refusal = visit.refusal ?? end.refusal
        const hasReturned = state !== undefined && returnedNote.read(context, request) === state
        if (refusal === 'stale' && hasReturned && visit.userId !== undefined) return reply.redirect('/', 302)
        const code = describeOAuthError(end.code, error_description)
        request.log.info({ provider: provider.id, refusal, code }, 'Refused a sign-in')
        const { waitingNote } = context.admission
        if (visit.waitingUserId === undefined) waitingNote.forget(context, { request, reply })
        else waitingNote.write(context, reply, visit.waitingUserId)
        if (visit.signedInUser) await auth.trail.recordFailure(visit.signedInUser, visit.origin, 'refused')
        return redirectToError(reply, auth, refusalMessage(refusal, provider.name))
      }
      if (visit.signedInUser)
        await auth.trail.recordSuccess(visit.signedInUser, visit.origin, { method: provider.name })
      await concludeSignIn(context, { request, reply }, visit.signedInUser?.id)
      return reply.redirect(end.to, 302)
    },
  )
}

const sessionOf = ({ caller }: FastifyRequest) =>
  caller?.via.kind === 'session'
    ? { userId: caller.user.id, sessionId: caller.via.sessionId }
    : { userId: undefined, sessionId: undefined }

function redirectToError(reply: FastifyReply, { cookieAttributes: { secure } }: Auth, words: string) {
  reply.setCookie(refusalCookie, words, { path: '/', sameSite: 'lax', secure, maxAge: refusalSeconds })
  return reply.redirect(errorPage, 302)
}

function toErrorMessage(error: unknown, request: FastifyRequest): string {
  if (error instanceof HttpError) return error.message
  request.log.error({ err: error, method: request.method, url: request.routeOptions.url }, 'a sign-in failed')
  return refusalMessage('failed')
}

/** Error codes of Better Auth, RFC 6749 (section 4.1.2.1), OpenID Connect Core (section 3.1.2.6) and GitHub. */
const refusalByCode = new Map<string, Refusal>([
  ['state_not_found', 'stale'],
  ['state_mismatch', 'stale'],
  ['state_invalid', 'stale'],
  ['access_denied', 'denied'],
  ['consent_required', 'denied'],
  ['login_required', 'denied'],
  ['interaction_required', 'denied'],
  ['account_selection_required', 'denied'],
  ['invalid_request', 'trouble'],
  ['unauthorized_client', 'trouble'],
  ['unsupported_response_type', 'trouble'],
  ['invalid_scope', 'trouble'],
  ['server_error', 'trouble'],
  ['temporarily_unavailable', 'trouble'],
  ['redirect_uri_mismatch', 'trouble'],
  ['application_suspended', 'trouble'],
  ['issuer_mismatch', 'trouble'],
  ['nonce_binding_missing', 'stale'],
])

/** Better Auth redirects to the requested path, or to an absolute URL with an error code. */
function endingOf({ location }: BridgeAnswer): { to: string } | { refusal: Refusal; code: string } {
  if (location?.startsWith('/')) return { to: location }
  const code = (location && URL.parse(location)?.searchParams.get('error')) || 'none'
  return { refusal: refusalByCode.get(code) ?? (isRefusal(code) ? code : 'failed'), code }
}
