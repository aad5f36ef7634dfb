import * as z from 'zod/mini'
import { NewEmail } from '../../people/contract.ts'
import type { Context } from '../../platform/context.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import type { CookieNote, Exchange } from '../../platform/http/access/cookie-note.ts'
import { cleanText, isVisible } from '../../shared/schemas/names.ts'
import { Roles } from '../../shared/schemas/user-shapes.ts'
import type { Instant } from '../../shared/time.ts'
import type { SignInConfig } from '../config.ts'
import type { OfferedProviders } from '../working-methods.ts'
import type { Ask, Grant, ProviderFailure } from './ask.ts'
import type { Refusal } from './refusal.ts'

/** A user's account at a provider. `email` is absent without a usable one, `roles` if the provider sets no levels. */
const Identity = z.object({
  accountId: z.string(),
  username: z.string(),
  name: z.string(),
  email: z.optional(z.object({ address: z.string(), verified: z.boolean() })),
  roles: z.optional(Roles),
})
export type Identity = z.infer<typeof Identity>

/** A provider account from the first step of a sign-in, to admit after the second. `isLinked`: it was linked before. */
export const PendingAccount = z.object({ providerId: z.string(), identity: Identity, isLinked: z.boolean() })
export type PendingAccount = z.infer<typeof PendingAccount>

type Described = { id: string; name: string; client: { id: string; secret: string }; scopes: readonly string[] }

/** A provider whose API returns the account that a token belongs to. */
export type ApiProvider = Described & {
  authorizeUrl: string
  tokenUrl: string
  identityOf(ask: Ask, token: string): Promise<Identity | ProviderFailure>
}

/** `nonce` must be in the ID token; `issuer` is the one the callback names; `signedInSince` is set only for a proof. */
export type OpenIdGrant = Grant & { nonce: string; issuer: string | undefined; signedInSince: Instant | undefined }

/** A provider that identifies users with signed tokens, and publishes its endpoints in a discovery document. */
export type OpenIdProvider = Described & {
  issuer: string
  authorizeUrl(ask: Ask): Promise<string | ProviderFailure>
  identify(ask: Ask, grant: OpenIdGrant): Promise<Identity | ProviderFailure>
}

export type Provider = ApiProvider | OpenIdProvider

const longestName = 100
/** Not blank, and without control characters, since they are invisible and PostgreSQL can't store U+0000. */
export const AccountName = z.string().check(z.maxLength(longestName), z.regex(/^\P{Cc}*[^\p{Cc}\s]\P{Cc}*$/u))

/** The name to store: the user's name at the provider, or else their username there. */
export function usableName(name: string | null | undefined, username: string): string {
  const own = cleanText(name ?? '')
  return [...(isVisible(own) ? own : cleanText(username))].slice(0, longestName).join('').trim()
}

/** The email to store; undefined if it isn't usable. Spaces are rejected, not trimmed, since no user typed it. */
export function usableEmail(address: string | null | undefined, verified: boolean): Identity['email'] {
  const parsed = NewEmail.safeParse(address?.trim() === address ? address : undefined)
  return parsed.success ? { address: parsed.data, verified } : undefined
}

export type SignInContext = Pick<Context<SignInConfig>, 'config' | 'db' | 'now' | 'events' | 'notify'>
/**
 * A user who returns from a provider. While linking or confirming (`proves`), `begunBy` is the user who started it, and
 * `now` the one who is signed in now. `signsIn` means that the account is linked as part of a sign-in.
 */
export type Arrival = {
  provider: { id: string; name: string }
  /** All configured providers. */
  offered: OfferedProviders
  identity: Identity
  origin: Origin
  inviteId: string | undefined
  linking: { begunBy: string; now: string | undefined; proves: boolean; signsIn?: boolean } | undefined
}
/** `waitingUserId` is set if the user waits for approval; `isHalfWay`: nothing is written until the second step. */
export type SignInResult =
  | { user: { id: string; email: string } }
  | { user: { id: string; email: string }; isHalfWay: true; isLinked: boolean }
  | { refused: Refusal; waitingUserId?: string }

/** What signing in needs from the slice above, which decides who may sign in. */
export type Admission = {
  /** Identifies the user and writes all changes that follow, in one transaction. */
  signInWithProvider(context: SignInContext, arrival: Arrival): Promise<SignInResult>
  /** The id of the invitation that was opened in this browser. */
  inviteNote: CookieNote
  /** Accepts that invitation for a user who has just signed in. Never makes the sign-in fail. */
  acceptPendingInvite(context: SignInContext & Pick<Context, 'log'>, exchange: Exchange, userId: string): Promise<void>
  /** The id of the user whose approval this browser waits for. */
  waitingNote: CookieNote
}
