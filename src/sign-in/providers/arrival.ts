import type { Context } from '../../platform/context.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import type { CookieNote, Exchange } from '../../platform/http/access/cookie-note.ts'
import type { SignInConfig } from '../config.ts'
import type { Identity } from './provider.ts'
import type { Refusal } from './refusal.ts'

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
