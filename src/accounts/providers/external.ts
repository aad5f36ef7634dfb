import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { getOAuthState } from 'better-auth/api'
import type { GenericOAuthConfig } from 'better-auth/plugins/generic-oauth'
import type { Context } from '../../platform/context.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import { type Milliseconds, minutes } from '../../shared/time.ts'
import { recordProof } from '../sessions/proof.ts'
import { asking, type Failed, hasFailed, tokenFor } from './catalogue/ask.ts'
import type { Identity, Provider } from './catalogue/provider.ts'
import type { Refusal } from './refusal.ts'
import { type SignInContext, signInWithProvider } from './sign-in-with-provider.ts'

/** One call of the callback: what Better Auth doesn't pass on, and why the sign-in was refused. */
export type Visit = {
  origin: Origin
  /** The user who is signed in in this browser. */
  userId: string | undefined
  sessionId: string | undefined
  identity?: Identity | Failed
  /** Who signs in; undefined while linking. */
  arrived?: { id: string }
  refusal?: Refusal
  /** The user who has to pass a second step before they are signed in. */
  secondStepOf?: string
}
/** The visit that is being handled. */
export const visits = new AsyncLocalStorage<Visit>()

export type ProviderContext = SignInContext & Pick<Context, 'outbound' | 'log'>

/** Longer than Better Auth's states, which expire after ten minutes. */
const markLife: Milliseconds = minutes(20)

/** A provider's configuration for Better Auth, which handles state, PKCE and the session; admission decides who may sign in, and no token reaches Better Auth. */
export function external(context: ProviderContext, provider: Provider, patience: Milliseconds): GenericOAuthConfig {
  const ask = asking(context.outbound, patience)
  return {
    providerId: provider.id,
    name: provider.name,
    clientId: provider.client.id,
    authorizationUrl: provider.authorizeUrl,
    scopes: [...provider.scopes],
    pkce: true,
    // Admission has created the link before Better Auth looks for it, and Better Auth may create none.
    disableSignUp: true,
    async getToken(grant) {
      const visit = currentVisit()
      const state = await getOAuthState()
      // Better Auth accepts a state from any provider, and twice if two callbacks come at once.
      if (state?.provider !== provider.id || !(await isFirstReturn(context, state.codeVerifier))) {
        visit.refusal = 'stale'
        return {}
      }
      const token = await tokenFor(ask, provider, grant)
      visit.identity = hasFailed(token) ? token : await provider.identityOf(ask, token.token)
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
      const proves = state?.prove === true
      const linking = link && { begunBy: link.userId, now: visit.userId, proves }
      const result = await signInWithProvider(context, {
        providerId: provider.id,
        identity,
        origin: visit.origin,
        linking,
      })
      if ('refused' in result) {
        visit.refusal = result.refused
        return null
      }
      if (!link) visit.arrived = result.user
      if (proves && visit.sessionId !== undefined) await recordProof(context.db.q, visit.sessionId, context.now())
      // While linking, Better Auth requires the same, verified email; admission has already decided by its own rule.
      return { id: identity.accountId, email: link?.email ?? result.user.email, emailVerified: link !== undefined }
    },
  }
}

/** Whether this state is used for the first time; the mark of its use outlives the state. */
async function isFirstReturn({ db, now }: ProviderContext, codeVerifier: string): Promise<boolean> {
  const mark = `returned:${createHash('sha256').update(codeVerifier).digest('base64url')}`
  const at = db.timestamp(now())
  const expires_at = db.timestamp(now() + markLife)
  const first = await db.q
    .insertInto('verifications')
    .values({ id: mark, identifier: mark, value: '', expires_at, created_at: at, updated_at: at })
    .onConflict((on) => on.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return first !== undefined
}

function currentVisit(): Visit {
  const visit = visits.getStore()
  if (!visit) throw new Error('a provider was asked outside of a visit')
  return visit
}
