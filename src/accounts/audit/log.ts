import { randomUUID } from 'node:crypto'
import type { Queries } from '../../platform/db/open.ts'
import type { Actor } from '../../platform/http/access/actor.ts'
import type { Instant } from '../../shared/time.ts'
import type { AuditAction, Change } from './contract.ts'

const outsideOfRequests = { id: null, address: null, device: null }
export const commandLine: Actor = { ...outsideOfRequests, name: 'Command line' }
export const configuration: Actor = { ...outsideOfRequests, name: 'Configuration' }

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
      device: actor.device,
    })
    .execute()
}
