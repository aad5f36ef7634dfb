import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Queries } from '../../platform/db/open.ts'
import { callerOf } from '../../platform/http/access/guard.ts'
import type { Instant } from '../../shared/time.ts'
import type { AuditAction, Change } from './contract.ts'

/** Who did it and from where, by a name that stays readable after the account is deleted. */
export type Actor = { id: string | null; name: string; address: string | null }

/** The user who makes a request. */
export function actorOf(request: FastifyRequest): Actor {
  const { user, via } = callerOf(request)
  const name = via.kind === 'key' ? `${user.email} (API key ${via.name})` : user.email
  return { id: user.id, name, address: request.ip }
}
export const commandLine: Actor = { id: null, name: 'Command line', address: null }
export const configuration: Actor = { id: null, name: 'Configuration', address: null }

export type AuditRecord = {
  actor: Actor
  action: AuditAction
  /** The user or object it was done to. */
  target?: { id: string | null; name: string }
  /** The changed fields; never a secret. */
  changes?: readonly Change[]
}

/** Writes an entry, in the transaction that makes the change. */
export async function writeAudit(
  tx: Queries,
  at: Instant,
  { actor, action, target, changes }: AuditRecord,
): Promise<void> {
  await tx
    .insertInto('audit')
    .values({
      id: randomUUID(),
      at,
      actor_id: actor.id,
      actor: actor.name,
      action,
      target_id: target?.id ?? null,
      target: target?.name ?? null,
      changes: JSON.stringify(changes ?? []),
      address: actor.address,
    })
    .execute()
}
