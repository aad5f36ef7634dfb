import { randomUUID } from 'node:crypto'
import type { Queries } from '../../platform/db/open.ts'
import type { Actor } from '../../platform/http/access/actor.ts'
import { days, type Instant } from '../../shared/time.ts'
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

/** How often a user's own doing of one kind is logged within a day, since nobody can delete what they fill the log with. */
export const mostOwnADay = 200

/**
 * Writes an entry, in the transaction that makes the change. What users do to their own account and entries is left out
 * once there is too much of it; the last entry says so. What somebody does to others is always written.
 */
export async function writeAudit(tx: Queries, at: Instant, record: AuditRecord): Promise<void> {
  const { actor, action, target, changes = [] } = record
  const before = isOwn(record) ? await countOfDay(tx, at, record) : 0
  if (before >= mostOwnADay) return
  const isLast = before + 1 === mostOwnADay
  const last: readonly Change[] = isLast ? [{ field: 'leftOut', from: null, to: mostOwnADay }] : []
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
      changes: JSON.stringify([...changes, ...last]),
      address: actor.address,
      device: actor.device,
    })
    .execute()
}

const isOwn = ({ actor, action, target }: AuditRecord): boolean =>
  action !== 'notification.announce' &&
  (action.startsWith('key.') || target === undefined || target.id === actor.id) &&
  actor.id !== null

/** How many entries of this kind its actor has made within a day, as far as it matters. */
async function countOfDay(tx: Queries, at: Instant, { actor, action }: AuditRecord): Promise<number> {
  const own = tx
    .selectFrom('audit')
    .select('id')
    .where('actor_id', '=', actor.id)
    .where('at', '>', at - days(1))
    .where('action', '=', action)
    .limit(mostOwnADay)
  return (await own.execute()).length
}
