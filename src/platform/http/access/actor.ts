import type { FastifyRequest } from 'fastify'
import { deviceOf } from '../../../shared/device.ts'
import type { Caller } from '../app.ts'
import { callerOf, type InsistStill, stillAllowed } from './guard.ts'

/** Where a request came from: the client's address, and its device in short words, such as `Firefox on Linux`. */
export type Origin = { address: string | null; device: string | null }
/** Who did something and from where, by a name that stays readable after the account is deleted. */
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

/** A caller with the rights that decide, and as the audit log names them. */
export type By = { user: Caller['user']; actor: Actor }
export const byOf = (request: FastifyRequest): By => ({ user: callerOf(request).user, actor: actorOf(request) })

/** The same for what takes long, with a check whether they still may. */
export type Acting = By & { insistStill: InsistStill }
export const actingIn = (request: FastifyRequest): Acting => ({
  ...byOf(request),
  insistStill: stillAllowed(request),
})
