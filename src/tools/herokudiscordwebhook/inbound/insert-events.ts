import type { Db, Queries } from '../../../platform/db/open.ts'
import { insertNew } from '../../../platform/db/rows/insert-new.ts'
import type { Instant } from '../../../shared/time.ts'
import type { DeliveryState } from '../contract.ts'
import { relayVolumes } from '../migrations/0020-relay-volume.ts'
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

/** Inserts events in a transaction; answers the ids of the new ones. */
export const insertEvents = (db: Db, tx: Queries, events: readonly NewEvent[]): Promise<Set<string>> =>
  insertNew(db, tx, {
    table: 'relay_event',
    key: 'event_key',
    columns,
    records: events.map(rowOf),
    sums: relayVolumes,
  })

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
