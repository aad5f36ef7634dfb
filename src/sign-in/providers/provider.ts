import * as z from 'zod/mini'
import { NewEmail } from '../../people/contract.ts'
import type { Context } from '../../platform/context.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import type { CookieNote, Exchange } from '../../platform/http/access/cookie-note.ts'
import { cleanText, isVisible } from '../../shared/schemas/names.ts'
import type { Instant } from '../../shared/time.ts'
import type { Roles } from '../../shared/user.ts'
import type { SignInConfig } from '../config.ts'
import type { Ask, Failed, Grant } from './ask.ts'
import type { Refusal } from './refusal.ts'

/** A user's account at a provider; `email` is undefined if there is none that we can use. */
export type Identity = {
  accountId: string
  username: string
  name: string
  email: { address: string; verified: boolean } | undefined
  /** The role levels that the provider says; absent if it says none. */
  roles?: Roles | undefined
}

/** An account at a provider that came with the first step of a sign-in, and is linked after the second. */
export type NewLink = Pick<Identity, 'accountId' | 'username' | 'roles'> & { providerId: string }

type Described = { id: string; name: string; client: { id: string; secret: string }; scopes: readonly string[] }

/** A provider whose API says who a token belongs to. */
export type ApiProvider = Described & {
  authorizeUrl: string
  tokenUrl: string
  identityOf(ask: Ask, token: string): Promise<Identity | Failed>
}

/**
 * What returns with a user: the nonce that the ID token must contain, the issuer that the provider names, if any, and since
 * when they must have signed in there, if they prove who they are.
 */
export type OpenIdGrant = Grant & { nonce: string; issuer: string | undefined; signedInSince: Instant | undefined }

/** A provider that says by a signed token who signs in, and by a document of its own where its endpoints are. */
export type OpenIdProvider = Described & {
  issuer: string
  authorizeUrl(ask: Ask): Promise<string | Failed>
  identify(ask: Ask, grant: OpenIdGrant): Promise<Identity | Failed>
}

/** An external sign-in provider: the id that users' links refer to, its label, its URLs and how it identifies a user. */
export type Provider = ApiProvider | OpenIdProvider

const longestName = 100
/** Not blank, and without control characters, which are invisible or which PostgreSQL can't store. */
export const AccountName = z.string().check(z.maxLength(longestName), z.regex(/^\P{Cc}*[^\p{Cc}\s]\P{Cc}*$/u))

/** The user's name as we store it; without one, their username at the provider. */
export function usableName(name: string | null | undefined, username: string): string {
  const own = cleanText(name ?? '')
  return [...(isVisible(own) ? own : cleanText(username))].slice(0, longestName).join('').trim()
}

/** The user's email as we store it; undefined if we can't use it. Spaces are not trimmed, since nobody typed it. */
export function usableEmail(address: string | null | undefined, verified: boolean): Identity['email'] {
  const parsed = NewEmail.safeParse(address?.trim() === address ? address : undefined)
  return parsed.success ? { address: parsed.data, verified } : undefined
}

export type SignInContext = Pick<Context<SignInConfig>, 'config' | 'db' | 'now' | 'events' | 'notify'>
/** A user who returns from a provider; `linking` if they link an identity, or prove who they are by one: who started it, who is signed in now, and whether that was by this very sign-in. `inviteId` is the invitation they have opened. */
export type Arrival = {
  provider: { id: string; name: string }
  identity: Identity
  origin: Origin
  inviteId: string | undefined
  linking: { begunBy: string; now: string | undefined; proves: boolean; signsIn?: boolean } | undefined
}
/** `waits` is the id of who waits for an admin's approval; `isHalfWay`: the account is not linked before the second step. */
export type SignInResult =
  | { user: { id: string; email: string }; isHalfWay?: true }
  | { refused: Refusal; waits?: string }

/** What signing in asks of the slice above it, which knows who may come in. */
export type Admission = {
  /** Decides who this is and writes what follows, all in one transaction. */
  signInWithProvider(context: SignInContext, arrival: Arrival): Promise<SignInResult>
  /** The id of the invitation that was opened in this browser. */
  inviteNote: CookieNote
  /** Gives a user who has just signed in what that invitation has. It never stops the sign-in. */
  acceptPendingInvite(context: SignInContext & Pick<Context, 'log'>, exchange: Exchange, userId: string): Promise<void>
  /** The id of the user for whose approval this browser waits. */
  waitingNote: CookieNote
}
