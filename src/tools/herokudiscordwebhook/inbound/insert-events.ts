import { CompiledQuery, sql } from 'kysely'
import type { Db, Queries } from '../../../platform/db/open.ts'
import type { Instant } from '../../../shared/time.ts'
import type { DeliveryState } from '../contract.ts'
import { shortKey } from './event/short-key.ts'

export type NewEvent = {
  id: string
  entryId: string
  eventId: string
  resource: string
  action: string
  state: DeliveryState
  receivedAt: Instant
  note: string | null
  /** JSON. */
  payload: string
  collapseKey: string | null
}

const columns = {
  id: 'text',
  entry_id: 'text',
  event_id: 'text',
  event_key: 'text',
  resource: 'text',
  action: 'text',
  state: 'text',
  received_at: 'bigint',
  note: 'text',
  payload: 'text',
  collapse_key: 'text',
} as const
const names = Object.keys(columns).join(', ')

/** Adds events in a transaction; answers the ids of those that were not there yet. */
export function insertEvents(db: Db, tx: Queries, events: readonly NewEvent[]): Promise<Set<string>> {
  return db.kind === 'sqlite' ? insertEach(tx, events) : insertTogether(db, tx, events)
}

const insertOne = `insert into relay_event (${names}) values (${Object.keys(columns).map(() => '?')})
  on conflict (event_key) do nothing`

/** One short text that is prepared once: in SQLite this takes half as long as one statement for all. */
async function insertEach(tx: Queries, events: readonly NewEvent[]): Promise<Set<string>> {
  const added = new Set<string>()
  for (const event of events) {
    const { numAffectedRows } = await tx.executeQuery(CompiledQuery.raw(insertOne, Object.values(rowOf(event))))
    if (numAffectedRows) added.add(event.id)
  }
  return added
}

/** What is known is passed over before the insert would wait for whoever is noting what became of it, and who may wait for us. */
async function insertTogether(db: Db, tx: Queries, events: readonly NewEvent[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`insert into relay_event (${sql.raw(names)})
    select ${sql.raw(names)} from ${db.rows('event', columns, events.map(rowOf))}
    where not exists (select 1 from relay_event as known where known.event_key = event.event_key)
    on conflict (event_key) do nothing returning id`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** In the order of the columns. */
const rowOf = (event: NewEvent): Record<keyof typeof columns, string | number | null> => ({
  id: event.id,
  entry_id: event.entryId,
  event_id: event.eventId,
  event_key: shortKey(`${event.entryId} ${event.eventId}`),
  resource: event.resource,
  action: event.action,
  state: event.state,
  received_at: event.receivedAt,
  note: event.note,
  payload: event.payload,
  collapse_key: event.collapseKey,
})
