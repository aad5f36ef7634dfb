import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { getOAuthState } from 'better-auth/api'
import type { GenericOAuthConfig } from 'better-auth/plugins/generic-oauth'
import type { Context } from '../../platform/context.ts'
import { type Milliseconds, minutes } from '../../shared/time.ts'
import { asking, type Failed, hasFailed, tokenFor } from './catalogue/ask.ts'
import type { Identity, Provider } from './catalogue/provider.ts'
import type { Refusal } from './refusal.ts'
import { type SignInContext, signInWithProvider } from './sign-in-with-provider.ts'

/** One return from a provider: what Better Auth does not hand around, and why it was refused. */
export type Visit = {
  address: string
  /** Who is signed in in this browser. */
  userId: string | undefined
  identity?: Identity | Failed
  refusal?: Refusal
}
/** The visit a call of Better Auth belongs to. */
export const visits = new AsyncLocalStorage<Visit>()

export type ProviderContext = SignInContext & Pick<Context, 'outbound' | 'log'>

/** Better Auth's states live ten minutes. */
const markLife: Milliseconds = minutes(20)

/** A provider as Better Auth wants it. State, PKCE and the session are Better Auth's; who comes in is for admission to say, and tokens never get that far. */
export function external(context: ProviderContext, provider: Provider, patience: Milliseconds): GenericOAuthConfig {
  const ask = asking(context.outbound, patience)
  return {
    providerId: provider.id,
    name: provider.name,
    clientId: provider.client.id,
    authorizationUrl: provider.authorizeUrl,
    scopes: [...provider.scopes],
    pkce: true,
    // Admission made the link before Better Auth looks; what it does not find there, it may not make.
    disableSignUp: true,
    async getToken(grant) {
      const visit = currentVisit()
      const state = await getOAuthState()
      // Better Auth lets any provider's return use a state, and two returns at the same moment use it twice.
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
      const link = (await getOAuthState())?.link
      const linking = link && { begunBy: link.userId, now: visit.userId }
      const result = await signInWithProvider(context, {
        providerId: provider.id,
        identity,
        address: visit.address,
        linking,
      })
      if ('refused' in result) {
        visit.refusal = result.refused
        return null
      }
      // While linking, Better Auth compares addresses and wants them verified; admission has done so by its own rule.
      return { id: identity.accountId, email: link?.email ?? result.user.email, emailVerified: link !== undefined }
    },
  }
}

/** Whether nobody came back by this state before; the mark of it outlives the state. */
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
