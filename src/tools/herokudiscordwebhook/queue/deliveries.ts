import { setImmediate } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import type { Queries } from '../../../platform/db/open.ts'
import type { Tables } from '../../../platform/db/tables.ts'
import { type DeliveriesQuery, type Delivery, type DeliveryState, mostListed } from '../contract.ts'
import { parseEvent } from '../event/event.ts'
import { firstIdOf } from '../event/event-ids.ts'
import { headlineOf } from '../message/message.ts'

/** So few that reading their payloads takes some milliseconds. */
const readAtOnce = 50

type Asked = Omit<DeliveriesQuery, 'id'>

/** Deliveries of an entry, newest first: those from `since` on and older than `before`, in this state, with this text in what the log shows of them. */
export async function listDeliveries(
  q: Queries,
  entryId: string,
  { search = '', state, since, before, size = mostListed }: Asked,
): Promise<Delivery[]> {
  const text = search.toLowerCase()
  const all = q.selectFrom('relay_event').selectAll().where('entry_id', '=', entryId)
  const ofEntry = since === undefined ? all : all.where('id', '>=', firstIdOf(since))
  const page = (state === undefined ? ofEntry : ofEntry.where('state', '=', state))
    .orderBy('id', 'desc')
    .limit(readAtOnce)
  const found: Delivery[] = []
  let older =
    before === undefined ? page : page.where('id', '<', typeof before === 'number' ? firstIdOf(before) : before)
  for (;;) {
    const rows = await older.execute()
    found.push(...rows.map(deliveryOf).filter((delivery) => textOf(delivery).includes(text)))
    const last = rows.at(-1)
    if (!last || rows.length < readAtOnce || found.length >= size) return found.slice(0, size)
    older = page.where('id', '<', last.id)
    // Others have their turn before more payloads are read.
    await setImmediate()
  }
}

const textOf = ({ eventId, resource, action, title, note }: Delivery) =>
  [eventId, `${resource} ${action}`, title, note].join('\n').toLowerCase()

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
