import type { BetterAuthOptions } from 'better-auth'
import type { SignInTrail } from '../people/audit/trail.ts'
import type { Background } from '../platform/background.ts'
import type { Context } from '../platform/context.ts'
import type { SignedCookie } from '../platform/crypto/signed-cookie.ts'
import type { Origin } from '../platform/http/access/actor.ts'
import { days, type Milliseconds } from '../shared/time.ts'
import type { SignInConfig } from './config.ts'
import type { GuessLimit } from './limits/guess-limit.ts'
import type { Admission, Provider } from './providers/provider.ts'

export type AuthContext = Pick<Context<SignInConfig>, 'config' | 'db' | 'now' | 'log' | 'events' | 'notify'> & {
  admission: Admission
}
export type Auth = {
  /** Passes a request to Better Auth; only our own routes call it. */
  handle: (request: Request) => Promise<Response>
  options: BetterAuthOptions
  baseUrl: string
  providers: readonly Provider[]
  cookie: SignedCookie
  /** Ends the session that a new one replaces in its browser, and the user's oldest session over the limit. */
  sessionOpened: (opened: { token: string; replaced: string | undefined; origin: Origin }) => Promise<void>
  cookieAttributes: { secure: boolean; httpOnly: boolean; sameSite: 'lax'; path: string; maxAge: number }
  background: Background
  /** Opens a session for a user who has passed every step; returns its token. Throws a 403 if the user isn't active. */
  openSession: (userId: string, from: { ipAddress: string; userAgent: string }) => Promise<string>
  trail: SignInTrail
  /** Limits wrong passwords, separately for signing in and for a proof within a session. */
  guesses: { signIn: GuessLimit; proof: GuessLimit }
}

/** How long an unused session lasts. */
export const sessionLife: Milliseconds = days(7)
/** Maximum lifetime of a session, even if it is in use. */
export const longestSession: Milliseconds = days(30)
export const renewSessionAfter: Milliseconds = days(1)
/** The header that passes the client's address to Better Auth; clients can't set it. */
export const addressHeader = 'x-toolbox-ip'
