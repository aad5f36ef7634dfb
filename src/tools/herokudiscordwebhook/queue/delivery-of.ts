import type { Selectable } from 'kysely'
import type { Tables } from '../../../platform/db/tables.ts'
import type { Delivery, DeliveryState } from '../contract.ts'
import { parseEvent } from '../inbound/event/event.ts'
import { headlineOf } from '../outbound/message.ts'

/** A stored event as the log shows it. */
export const deliveryOf = (row: Selectable<Tables['relay_event']>): Delivery => ({
  id: row.id,
  eventId: row.event_id,
  resource: row.resource,
  action: row.action,
  ...titleOf(row.payload),
  state: row.state as DeliveryState,
  receivedAt: row.received_at,
  attempts: row.attempts,
  ...(row.note === null ? {} : { note: row.note }),
})

function titleOf(payload: string): { title?: string } {
  const event = parseEvent(JSON.parse(payload))
  return 'problem' in event ? {} : { title: headlineOf(event) }
}
