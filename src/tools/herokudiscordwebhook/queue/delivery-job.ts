import { sql } from 'kysely'
import type { Context } from '../../../platform/context.ts'
import { lockRows } from '../../../platform/db/locks.ts'
import type { Db, Queries } from '../../../platform/db/open.ts'
import type { Instant, Milliseconds } from '../../../shared/time.ts'

/** The kind of job that sends events. It isn't one of the shared kinds, so the tool's own `deliver` runs it. */
export const deliveryKind = 'delivery'

/** The id of the job that sends an entry's events to Discord, one at a time. It exists while any are waiting. */
export const deliveryJob = (entryId: string) => `${deliveryKind}:${entryId}`

/** Locks the jobs of these entries, so that they don't end; returns the ids of entries that have one. */
async function lockDeliveryJobs(db: Db, tx: Queries, entryIds: readonly string[]): Promise<string[]> {
  if (entryIds.length === 0) return []
  const jobs = tx
    .selectFrom('job')
    .select('entry_id')
    .where('entry_id', 'in', entryIds)
    .where('kind', '=', deliveryKind)
  const rows = await lockRows(db, jobs.orderBy('id', 'desc'), 'key share').execute()
  return rows.flatMap((row) => row.entry_id ?? [])
}

/** The webhook of an entry (its lane), and when the first of its new events arrived. */
export type Turn = { lane: string; turnAt: Instant }

/** Ensures that these entries have locked jobs; returns whether any is new. `locked`: entries with a locked job. */
export async function ensureJobs(
  context: Context,
  tx: Queries,
  { turns, locked }: { turns: ReadonlyMap<string, Turn>; locked: readonly string[] },
): Promise<boolean> {
  let missing = [...turns.keys()].filter((id) => !locked.includes(id)).sort()
  let isNew = false
  while (missing.length > 0) {
    const jobs = missing.map((id) => ({
      id: deliveryJob(id),
      kind: deliveryKind,
      entryId: id,
      dueAt: context.now(),
      ...turns.get(id)!,
    }))
    const added = await context.jobs.add(jobs.reverse(), tx)
    isNew ||= added.size > 0
    // Another instance has just added the other jobs, and may have ended them since.
    const others = missing.filter((id) => !added.has(deliveryJob(id)))
    const found = await lockDeliveryJobs(context.db, tx, others)
    missing = others.filter((id) => !found.includes(id))
  }
  return isNew
}

/** Moves an unleased job to the oldest waiting event, at least `wait` after `at` (now); ends it if none waits. */
export async function rescheduleDelivery(db: Db, tx: Queries, entryId: string, from: RescheduleOptions): Promise<void> {
  if (await tryReschedule(tx, entryId, from)) return
  await tx.deleteFrom('job').where('id', '=', deliveryJob(entryId)).where('lease_by', 'is', null).execute()
  // The transaction that held the lock may have added an event, which is visible only now.
  if (db.isShared) await tryReschedule(tx, entryId, from)
}

type RescheduleOptions = { at: Instant; wait?: Milliseconds }

export const oldestWaiting = (q: Queries, entryId: string) =>
  q
    .selectFrom('relay_event as event')
    .innerJoin('relay', 'relay.entry_id', 'event.entry_id')
    .where('event.entry_id', '=', entryId)
    .where('event.state', '=', sql.lit('accepted'))
    .orderBy('event.seq')
    .orderBy('event.id')
    .limit(1)

async function tryReschedule(tx: Queries, entryId: string, { at, wait = 0 }: RescheduleOptions): Promise<boolean> {
  const next = await oldestWaiting(tx, entryId)
    .select(['event.received_at', 'event.wait_until', 'relay.webhook_id'])
    .executeTakeFirst()
  if (!next) return false
  const due = Math.ceil(Math.max(at + wait, next.wait_until))
  const turn = { lane: next.webhook_id, turn_at: next.received_at, due_at: due, free_at: due, planned_at: at }
  await tx
    .insertInto('job')
    .values({ id: deliveryJob(entryId), kind: deliveryKind, entry_id: entryId, attempt: 0, ...turn })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(turn).where('job.lease_by', 'is', null))
    .execute()
  return true
}
