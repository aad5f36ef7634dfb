import type { FastifyRequest, RouteOptions } from 'fastify'
import { HttpError } from '../../../shared/http-error.ts'
import { type AccessLevel, accessLevels, can, type RoleName } from '../../../shared/user.ts'
import { type Caller, keyIn } from './caller.ts'

/** Who may use a route. `anonymous` is open too, and spends no time on cookies, callers and XSRF. */
export type Access = 'open' | 'anonymous' | 'signed in' | readonly [RoleName, AccessLevel]

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Not for API keys. */
    sessionOnly?: boolean
  }
}

const allowing = (access: Access) => ({ config: { access } })
/** Refuses API keys as well: for calls about passwords, keys and sign-in methods. `...sessionOnly(guard('Admin', 2))` */
export const sessionOnly = ({ config }: ReturnType<typeof allowing>) => ({ config: { ...config, sessionOnly: true } })

/** For callers whose role has at least this level: `app.get(path, { ...guard('Tools', 1), schema }, handler)`. */
export const guard = (role: RoleName, level: 1 | 2) => allowing([role, level])
/** For everybody who is signed in. */
export const signedIn = () => allowing('signed in')
/** For everybody; the caller is known if there is one. */
export const open = () => allowing('open')
/** For everybody, without asking who it is: no cookie is read or set, and requests are not logged. */
export const anonymous = () => ({ ...allowing('anonymous'), childLoggerFactory: sameLogger })
const sameLogger = <Logger>(logger: Logger): Logger => logger

/** Who calls a guarded route. Throws a 401 if nobody is signed in. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller) return request.caller
  throw new HttpError(
    401,
    keyIn(request) === undefined ? 'Sign in first.' : 'This API key is invalid, expired or suspended.',
  )
}

/** Throws a 401 or 403 if this caller may not use a route with this access. */
export function checkAccess(request: FastifyRequest, access: Access): void {
  checkScope(request)
  if (access === 'open' || access === 'anonymous') return
  const { user } = callerOf(request)
  if (request.routeOptions.config.sessionOnly) insistOnSession(request)
  if (access === 'signed in') return
  const [role, level] = access
  if (!can(user, role, level)) throw new HttpError(403, `You need ${accessLevels[level]} to ${role}.`)
}

/** Throws a 403 for an API key: for routes where only some bodies ask for what a key may not do. */
export function insistOnSession(request: FastifyRequest): void {
  if (callerOf(request).via.kind === 'key') throw new HttpError(403, "API keys can't do this. Sign in instead.")
}

/** An API key may be limited to reading, or to writing. */
function checkScope({ caller, method }: FastifyRequest) {
  const needed = method === 'GET' || method === 'HEAD' ? 'read' : 'write'
  if (caller && !caller.scopes.includes(needed)) throw new HttpError(403, `This API key can't ${needed}.`)
}

/** Stops the start if a route of the API does not say who may use it. */
export function insistOnAccess({ url, method, config }: RouteOptions): void {
  if (!/^\/api\/v1(\/|$)/.test(url) || config?.access) return
  throw new Error(
    `${method} ${url} does not say who may use it: spread guard(…), signedIn() or open() into its options.`,
  )
}
