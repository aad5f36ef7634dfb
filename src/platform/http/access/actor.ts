import type { FastifyRequest } from 'fastify'
import { deviceOf } from '../../../shared/device.ts'
import type { Caller } from '../app.ts'
import { accessRecheckOf, callerOf, type RecheckAccess } from './guard.ts'

/** Where a request came from: the client's address and a short device name, such as `Firefox on Linux`. */
export type Origin = { address: string | null; device: string | null }
/** Who acted and from where; `name` stays readable after the account is deleted. */
export type Actor = Origin & { id: string | null; name: string }

export const originOf = ({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Origin => ({
  address: ip,
  device: deviceOf(headers['user-agent'] ?? null).name,
})

export const nameOfCaller = ({ user, via }: Caller): string =>
  via.kind === 'key' ? `${user.email} (API key ${via.name})` : user.email

export function actorOf(request: FastifyRequest): Actor {
  const caller = callerOf(request)
  return { id: caller.user.id, name: nameOfCaller(caller), ...originOf(request) }
}

/** A caller twice: the user, whose rights decide, and the actor, as the audit log names them. */
export type ActingUser = { user: Caller['user']; actor: Actor }
export const actingUserOf = (request: FastifyRequest): ActingUser => ({
  user: callerOf(request).user,
  actor: actorOf(request),
})

/** The same for long operations, with a check that the caller still has access. */
export type ActingUserWithRecheck = ActingUser & { recheckAccess: RecheckAccess }
export const actingUserWithRecheck = (request: FastifyRequest): ActingUserWithRecheck => ({
  ...actingUserOf(request),
  recheckAccess: accessRecheckOf(request),
})
