import type { FastifyRequest, RouteOptions } from 'fastify'
import { HttpError } from '../../../shared/http-error.ts'
import { type AccessLevel, accessLevels, can, type RoleName, roleNames } from '../../../shared/user.ts'
import { type Caller, keyIn } from '../app.ts'

/** Who may use a route. `anonymous` is open too, but skips cookies, callers and XSRF checks to save time. */
export type Access = 'open' | 'anonymous' | 'signed in' | readonly [RoleName, AccessLevel]

/**
 * The scope that an API key needs for a call, or `never`. `masked` needs `read`, but shows secrets only to a key that
 * may also write. `partly` needs `write`, but the call refuses a key that would change how a user signs in. No key can
 * change how any user signs in, or read its user's sessions, activity, keys or channels.
 */
export type KeyUse = 'read' | 'masked' | 'write' | 'partly' | 'never'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    keyUse?: KeyUse
    /** Requires that the user signed in or confirmed their identity within the last ten minutes. */
    recentProof?: boolean
    beforeSetUp?: boolean
  }
}

const allowing = (access: Access, keyUse: KeyUse) => ({ config: { access, keyUse } })

/** Also allows users who must first set up a second factor; for that call: `...beforeSetUp(signedIn('never'))` */
export const beforeSetUp = ({ config }: ReturnType<typeof allowing>) => ({ config: { ...config, beforeSetUp: true } })

/** Requires a recent proof of identity, which a stolen session doesn't have: `...recentProof(signedIn('never'))` */
export const recentProof = <Config extends { access: Access }>({ config }: { config: Config }) => ({
  config: { ...config, recentProof: true },
})

/** Requires at least this level of a role: `app.get(path, { ...guard('Tools', 1, 'read'), schema }, handler)`. */
export const guard = (role: RoleName, level: 1 | 2, keyUse: KeyUse) => allowing([role, level], keyUse)
export const signedIn = (keyUse: KeyUse) => allowing('signed in', keyUse)
/** For all visitors; a signed-in caller is still identified. Bodies must be small, since any client may send many. */
export const open = (keyUse: KeyUse) => ({ ...allowing('open', keyUse), bodyLimit: 16_384 })
/** For all visitors, without identifying them: no cookie is read or set, and all requests share one logger. */
export const anonymous = () => ({ config: { access: 'anonymous' as const }, childLoggerFactory: sameLogger })
const sameLogger = <Logger>(logger: Logger): Logger => logger

/** The caller of a guarded route. Throws a 401 if the request is not signed in. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller) return request.caller
  throw new HttpError(
    401,
    keyIn(request) === undefined ? 'Sign in first.' : 'This API key is invalid, expired or suspended.',
  )
}

export const sessionIdOf = ({ via }: Caller): string | undefined => (via.kind === 'session' ? via.sessionId : undefined)

/** Throws a 403 once the caller may no longer do what they began. */
export type RecheckAccess = () => Promise<void>

/** Returns a check for use between a long operation's steps; a proof of identity recent at its start is enough. */
export function accessRecheckOf(request: FastifyRequest): RecheckAccess {
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
  if (request.routeOptions.config.recentProof) requireRecentProof(request)
}

/** Throws a 403 for an API key; for routes where keys may not send certain bodies. */
export function requireSession(request: FastifyRequest): void {
  if (callerOf(request).via.kind === 'key') throw new HttpError(403, "API keys can't do this. Sign in instead.")
}

/** Throws a 403 without a recent proof of identity; for routes where only some bodies need one. */
export function requireRecentProof(request: FastifyRequest): void {
  const { via } = callerOf(request)
  requireSession(request)
  if (via.kind === 'session' && !via.isProven)
    throw new HttpError(403, "Confirm that it's you to continue.", { reauthenticate: true })
}

/** Throws a 403 if the API key's scopes don't cover this route. */
function checkKey(request: FastifyRequest, { scopes }: Caller) {
  const { keyUse } = request.routeOptions.config
  if (keyUse === 'never') requireSession(request)
  const needed = keyUse === 'read' || keyUse === 'masked' ? 'read' : 'write'
  if (!scopes.includes(needed)) throw new HttpError(403, `This API key can't ${needed}.`)
}

/** Throws at start-up if an API route, or one with an unsafe method, does not declare its access. */
export function requireDeclaredAccess({ method, url, config }: RouteOptions): void {
  const isSafe = [method].flat().every((one) => one === 'GET' || one === 'HEAD')
  if (!config?.access && (!isSafe || /^\/api\/v1(\/|$)/.test(url)))
    throw new Error(
      `${method} ${url} does not say who may use it: spread guard(…), signedIn(…) or open(…) into its options.`,
    )
}
