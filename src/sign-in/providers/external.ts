import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { BetterAuthPlugin } from 'better-auth'
import { APIError, getOAuthState } from 'better-auth/api'
import { createAuthorizationURL, type OAuthProvider } from 'better-auth/oauth2'
import type { Context } from '../../platform/context.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import { HttpError } from '../../shared/http-error.ts'
import { type Instant, type Milliseconds, minutes } from '../../shared/time.ts'
import { isFirstUse } from '../first-use.ts'
import { recordProof } from '../recent-proof.ts'
import {
  type Ask,
  createAsk,
  exchangeCode,
  type Grant,
  hasFailed,
  type ProviderFailure,
  toProviderFailure,
} from './ask.ts'
import type { Admission, Identity, OpenIdGrant, PendingAccount, Provider, SignInContext } from './provider.ts'
import { type Refusal, refusalMessage } from './refusal.ts'

/** The state of one callback request: what Better Auth doesn't pass on, and why the sign-in was refused. */
export type Visit = {
  origin: Origin
  /** The id of the user who is already signed in with this browser. */
  userId: string | undefined
  sessionId: string | undefined
  /** The issuer that the provider's redirect names. */
  issuer: string | undefined
  inviteId: string | undefined
  identity?: Identity | ProviderFailure
  /** The user who signs in; undefined while linking. */
  signedInUser?: { id: string }
  refusal?: Refusal
  /** The id of the user who waits for an admin's approval. */
  waitingUserId?: string | undefined
  /** The id of the user who has to pass a second step to sign in. */
  secondStepUserId?: string
  /** The account that waits for that step. */
  pendingAccount?: PendingAccount
}
export const visits = new AsyncLocalStorage<Visit>()

/** The error code of a sign-in that needs a second step. */
export const needsSecondStep = 'needsSecondStep'
/** Ends Better Auth's part of such a sign-in. */
export const secondStepNeeded = () =>
  new APIError('FORBIDDEN', { code: needsSecondStep, message: 'Enter a code to finish signing in.' })

export type ProviderContext = SignInContext & Pick<Context, 'outbound' | 'log' | 'elapsed'> & { admission: Admission }

/** Longer than Better Auth's states, which expire after ten minutes. */
const markLife: Milliseconds = minutes(20)

/**
 * Registers the providers with Better Auth, which receives no tokens: admission decides who may sign in. Better Auth's
 * plugin would fetch discovery documents on start, and would not check ID tokens when the exchange is replaced.
 */
export const externalProviders = (
  context: ProviderContext,
  providers: readonly Provider[],
  timeout: Milliseconds,
): BetterAuthPlugin => ({
  id: 'external-providers',
  init: () => ({
    context: {
      socialProviders: providers.map((provider) => createOAuthProvider(context, provider, providers, timeout)),
    },
  }),
})

function createOAuthProvider(
  context: ProviderContext,
  provider: Provider,
  offered: readonly Provider[],
  timeout: Milliseconds,
): OAuthProvider {
  const issuer = 'issuer' in provider ? provider.issuer : undefined
  const ask = createAsk(context.outbound, timeout, issuer)
  return {
    id: provider.id,
    name: provider.name,
    ...(issuer !== undefined && { issuer, requiresIdTokenNonce: true }),
    accountSubject: ({ profile }) => (profile as { id: string }).id,
    // Admission creates the link before Better Auth looks for it; Better Auth must not create one.
    disableSignUp: true,
    options: { disableSignUp: true },
    async createAuthorizationURL({ state, codeVerifier, redirectURI, idTokenNonce }) {
      const { id, name, client, scopes } = provider
      const url = 'issuer' in provider ? await provider.authorizeUrl(ask) : provider.authorizeUrl
      if (typeof url === 'string')
        return createAuthorizationURL({
          id,
          options: { clientId: client.id },
          authorizationEndpoint: url,
          state,
          codeVerifier,
          scopes: [...scopes],
          redirectURI,
          ...(idTokenNonce !== undefined && { nonce: idTokenNonce }),
          // Otherwise a provider with a live session sends the user back without asking for credentials.
          ...(issuer !== undefined && provesSince(await getOAuthState()) && { additionalParams: loginPrompt }),
        })
      context.log.warn({ provider: id, note: url.note }, "The provider's discovery document has no sign-in address")
      throw new HttpError(503, refusalMessage('trouble', name))
    },
    async validateAuthorizationCode(grant) {
      const visit = currentVisit()
      const state = await getOAuthState()
      // Better Auth accepts a state from any provider, and twice in concurrent callbacks.
      if (state?.provider !== provider.id || !(await isFirstReturn(context, state.codeVerifier)))
        visit.refusal = 'stale'
      else {
        const { idTokenNonce: nonce } = state
        const returned = { nonce, issuer: visit.issuer, signedInSince: provesSince(state) }
        visit.identity = await identify(provider, ask, grant, returned)
      }
      return {}
    },
    async getUserInfo() {
      const visit = currentVisit()
      if (visit.refusal) return null
      const { identity } = visit
      if (!identity || hasFailed(identity)) {
        const level = identity?.failed === 'spent' ? 'debug' : 'warn'
        context.log[level]({ provider: provider.id, note: identity?.note }, 'the provider did not say who signs in')
        visit.refusal = identity?.failed ?? 'failed'
        return null
      }
      const state = await getOAuthState()
      const link = state?.link
      const proves = provesSince(state) !== undefined
      const linking = link && { begunBy: link.userId, now: visit.userId, proves }
      const result = await context.admission.signInWithProvider(context, {
        provider,
        offered,
        identity,
        origin: visit.origin,
        inviteId: visit.inviteId,
        linking,
      })
      if ('refused' in result) {
        visit.refusal = result.refused
        visit.waitingUserId = result.waitingUserId
        return null
      }
      if ('isHalfWay' in result) {
        visit.secondStepUserId = result.user.id
        visit.pendingAccount = { providerId: provider.id, identity, isLinked: result.isLinked }
        throw secondStepNeeded()
      }
      if (!link) visit.signedInUser = result.user
      if (proves && visit.sessionId !== undefined) await recordProof(context.db.q, visit.sessionId, context.now())
      // While linking, Better Auth requires the same verified email, but admission has already decided by its own rule.
      const user = { email: link?.email ?? result.user.email, emailVerified: link !== undefined }
      return { user, data: { id: identity.accountId } }
    },
  }
}

/** Makes the provider ask for credentials even if it has a session (OpenID Connect Core, section 3.1.2.1). */
const loginPrompt = { prompt: 'login', max_age: '0' }

/** When the user started a proof; undefined when signing in or linking an account. */
const provesSince = (state: object | null | undefined): Instant | undefined =>
  state && 'provesSince' in state ? Number(state.provesSince) : undefined

async function identify(
  provider: Provider,
  ask: Ask,
  grant: Grant,
  { nonce, ...returned }: { nonce: unknown } & Pick<OpenIdGrant, 'issuer' | 'signedInSince'>,
): Promise<Identity | ProviderFailure> {
  if ('issuer' in provider)
    return typeof nonce === 'string'
      ? provider.identify(ask, { ...grant, ...returned, nonce })
      : toProviderFailure('no nonce was sent')
  const token = await exchangeCode(ask, provider, grant)
  return hasFailed(token) ? token : provider.identityOf(ask, token.token)
}

/** Whether this state is used for the first time; the record of its use outlives the state. */
const isFirstReturn = (context: ProviderContext, codeVerifier: string): Promise<boolean> =>
  isFirstUse(context, `returned:${createHash('sha256').update(codeVerifier).digest('base64url')}`, markLife)

function currentVisit(): Visit {
  const visit = visits.getStore()
  if (!visit) throw new Error('a provider was asked outside of a visit')
  return visit
}
