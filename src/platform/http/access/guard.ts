import type { FastifyRequest, RouteOptions } from 'fastify'
import { HttpError } from '../../../shared/http-error.ts'
import { type AccessLevel, accessLevels, can, type RoleName, roleNames } from '../../../shared/user.ts'
import { type Caller, keyIn } from '../app.ts'

/** Who may use a route. `anonymous` is open too, and spends no time on cookies, callers and XSRF. */
export type Access = 'open' | 'anonymous' | 'signed in' | readonly [RoleName, AccessLevel]

/**
 * What an API key may do with a call: with its scope `read` or `write`, or `never`. `masked` is read, but only a key that
 * may also write sees secrets; `partly` is write, but the call refuses a key that would change how somebody signs in.
 * No key touches how anybody signs in, or reads its user's sessions, activity, keys or channels.
 */
export type KeyUse = 'read' | 'masked' | 'write' | 'partly' | 'never'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    keyUse?: KeyUse
    /** Only for those who signed in or proved who they are within ten minutes. */
    recentProof?: boolean
    /** Also for users who must set up a second factor before anything else. */
    beforeSetUp?: boolean
  }
}

const allowing = (access: Access, keyUse: KeyUse) => ({ config: { access, keyUse } })

/** Lets in users who must set up a second factor first: for the calls that do so. `...beforeSetUp(signedIn('never'))` */
export const beforeSetUp = ({ config }: ReturnType<typeof allowing>) => ({ config: { ...config, beforeSetUp: true } })

/** Asks for a sign-in or proof within ten minutes: for calls that a stolen session must not make. `...recentProof(signedIn('never'))` */
export const recentProof = <Config extends { access: Access }>({ config }: { config: Config }) => ({
  config: { ...config, recentProof: true },
})

/** For callers whose role has at least this level: `app.get(path, { ...guard('Tools', 1, 'read'), schema }, handler)`. */
export const guard = (role: RoleName, level: 1 | 2, keyUse: KeyUse) => allowing([role, level], keyUse)
export const signedIn = (keyUse: KeyUse) => allowing('signed in', keyUse)
/** For everybody; the caller is known if there is one. Strangers' bodies are kept small, since anybody may send many. */
export const open = (keyUse: KeyUse) => ({ ...allowing('open', keyUse), bodyLimit: 16_384 })
/** For everybody, without asking who it is: no cookie is read or set, and requests are not logged. */
export const anonymous = () => ({ config: { access: 'anonymous' as const }, childLoggerFactory: sameLogger })
const sameLogger = <Logger>(logger: Logger): Logger => logger

/** Who calls a guarded route. Throws a 401 if nobody is signed in. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller) return request.caller
  throw new HttpError(
    401,
    keyIn(request) === undefined ? 'Sign in first.' : 'This API key is invalid, expired or suspended.',
  )
}

/** The session of a caller who has no API key. */
export const sessionIdOf = ({ via }: Caller): string | undefined => (via.kind === 'session' ? via.sessionId : undefined)

/** Throws a 403 once the caller who began something may no longer do it. */
export type InsistStill = () => Promise<void>

/**
 * A check, between the steps of what takes long, whether its caller is still signed in with all the rights they had when
 * they began. A proof that was recent then is enough.
 */
export function stillAllowed(request: FastifyRequest): InsistStill {
  const { user } = callerOf(request)
  return async () => {
    const caller = await request.server.identify(request)
    const isLess = roleNames.some((role) => (caller?.user.roles[role] ?? 0) < user.roles[role])
    if (isLess || caller?.user.id !== user.id || caller.mustSetUp) throw new HttpError(403, lostAccess)
  }
}
const lostAccess = 'You lost access before this was done.'

/** Throws a 401 or 403 if this caller may not use a route with this access. */
export function checkAccess(request: FastifyRequest, access: Access): void {
  if (request.caller) checkKey(request, request.caller)
  if (access === 'open' || access === 'anonymous') return
  const { user, mustSetUp } = callerOf(request)
  if (mustSetUp && !request.routeOptions.config.beforeSetUp) throw new HttpError(403, 'Set up two-step sign-in first.')
  if (access !== 'signed in' && !can(user, ...access))
    throw new HttpError(403, `You need ${accessLevels[access[1]]} to ${access[0]}.`)
  if (request.routeOptions.config.recentProof) insistOnProof(request)
}

/** Throws a 403 for an API key: for routes where only some bodies ask for what a key may not do. */
export function insistOnSession(request: FastifyRequest): void {
  if (callerOf(request).via.kind === 'key') throw new HttpError(403, "API keys can't do this. Sign in instead.")
}

/** Throws a 403 without a recent proof: for routes where only some bodies need one. */
export function insistOnProof(request: FastifyRequest): void {
  const { via } = callerOf(request)
  insistOnSession(request)
  if (via.kind === 'session' && !via.isProven)
    throw new HttpError(403, "Confirm that it's you to continue.", { reauthenticate: true })
}

/** An API key may be limited to reading, or to writing. */
function checkKey(request: FastifyRequest, { scopes }: Caller) {
  const { keyUse } = request.routeOptions.config
  if (keyUse === 'never') insistOnSession(request)
  const needed = keyUse === 'read' || keyUse === 'masked' ? 'read' : 'write'
  if (!scopes.includes(needed)) throw new HttpError(403, `This API key can't ${needed}.`)
}

/** Stops the start if a route of the API, or one that changes something, doesn't say who may use it. */
export function insistOnAccess({ method, url, config }: RouteOptions): void {
  const isSafe = [method].flat().every((one) => one === 'GET' || one === 'HEAD')
  if (!config?.access && (!isSafe || /^\/api\/v1(\/|$)/.test(url)))
    throw new Error(
      `${method} ${url} does not say who may use it: spread guard(…), signedIn(…) or open(…) into its options.`,
    )
}
