import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import { entryStore } from '../../../entries/store.ts'
import { changedEntry } from '../../../entries/stored-entry.ts'
import type { Context } from '../../../platform/context.ts'
import { lockEntry } from '../../../platform/db/locks.ts'
import type { Queries } from '../../../platform/db/open.ts'
import type { Tables } from '../../../platform/db/tables.ts'
import { transact } from '../../../platform/db/transact.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { HttpError, notFound } from '../../../shared/http-error.ts'
import type { Instant } from '../../../shared/time.ts'
import {
  type DeliveriesQuery,
  type Delivery,
  type DeliveryState,
  herokudiscordwebhook,
  mostListed,
  type ReplayBody,
} from '../contract.ts'
import { parseEvent } from '../event/event.ts'
import { headlineOf, testEvent } from '../message/message.ts'
import { keepWithinBounds } from './bounds.ts'
import { moveOn } from './delivery-job.ts'
import { firstIdOf, type NewEvent, type NextId, relayStore } from './store.ts'

/** Few enough that reading their payloads takes some milliseconds. */
const readAtOnce = 50

type Query = Omit<DeliveriesQuery, 'id'>

const eventsOf = (q: Queries, entryId: string) =>
  q.selectFrom('relay_event').selectAll().where('entry_id', '=', entryId)

/** Deliveries of an entry, newest first: those from `since` on and older than `before`, in this state, with this text in what the log shows of them. */
export async function listDeliveries(
  q: Queries,
  entryId: string,
  { search = '', state, since, before, size = mostListed }: Query,
): Promise<Delivery[]> {
  const text = search.toLowerCase()
  const all = eventsOf(q, entryId)
  const recent = since === undefined ? all : all.where('id', '>=', firstIdOf(since))
  const page = (state === undefined ? recent : recent.where('state', '=', state))
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
const deliveryOf = (row: Selectable<Tables['relay_event']>): Delivery => ({
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

/** A delivery with its stored event. Throws a 404. */
export async function getDelivery(q: Queries, entryId: string, id: string) {
  const row = await eventsOf(q, entryId).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('Delivery')
  return { ...deliveryOf(row), payload: JSON.parse(row.payload) as unknown }
}

/** The payload of the newest event from Heroku. */
export async function lastPayload(q: Queries, entryId: string): Promise<unknown> {
  const events = eventsOf(q, entryId).where('resource', '<>', testEvent.resource)
  const row = await events.orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row && JSON.parse(row.payload)
}

/** Sends deliveries to Discord again, in the order in which their events arrived; answers how many. */
export async function replay(context: Context, user: Caller['user'], { id, deliveries, state, since }: ReplayBody) {
  const isDefault = deliveries === undefined && since === undefined
  const chosen = { ids: deliveries, since, parkedOnly: state === 'held' || isDefault }
  return send(context, user, id, (tx) => reopen(tx, id, chosen))
}

type Chosen = { ids?: readonly string[] | undefined; parkedOnly: boolean; since?: Instant | undefined }

/** Makes finished deliveries of an entry wait again; answers how many. */
export async function reopen(tx: Queries, entryId: string, { ids, parkedOnly, since }: Chosen): Promise<number> {
  if (ids?.length === 0) return 0
  let chosen = tx
    .updateTable('relay_event')
    .set({ state: 'accepted', failed: 0, wait_until: 0 })
    .where('entry_id', '=', entryId)
  // Ignored and collapsed ones are sent only if they are named.
  if (parkedOnly) chosen = chosen.where('state', '=', 'held')
  else chosen = chosen.where('state', 'in', ids ? ended : relayed)
  if (ids) chosen = chosen.where('id', 'in', ids)
  if (since !== undefined) chosen = chosen.where('id', '>=', firstIdOf(since))
  return (await chosen.returning('id').execute()).length
}

const relayed: readonly DeliveryState[] = ['delivered', 'held']
const ended: readonly DeliveryState[] = [...relayed, 'ignored', 'collapsed']

/** Sends a test message, after whatever is waiting. */
export async function sendTest(context: Context, user: Caller['user'], id: string, nextId: NextId): Promise<void> {
  context.visitLimits.takeCheck(user.id)
  const { id: eventId, at } = nextId()
  await send(context, user, id, async (tx) => {
    const event: NewEvent = {
      id: eventId,
      entryId: id,
      eventId: `test-${randomUUID()}`,
      ...testEvent,
      state: 'accepted',
      receivedAt: at,
      note: null,
      payload: '{}',
      collapseKey: null,
    }
    await relayStore(context.db, tx).insert([event])
    const refused = await keepWithinBounds(context.db, tx, [event])
    if (refused.size > 0) throw new HttpError(409, 'Too many events of this entry are waiting for Discord.')
    return 1
  })
}

/** A replay or test unblocks the webhook: its user has probably fixed it, so Discord is asked again. */
async function send(
  context: Context,
  user: Caller['user'],
  id: string,
  choose: (tx: Queries) => Promise<number>,
): Promise<number> {
  const { count, ownerId } = await transact(context.db, async (tx) => {
    const entries = entryStore(context.db, tx)
    await lockEntry(context.db, tx, id)
    const entry = await entries.get(herokudiscordwebhook.id, id, user)
    if (!entry.ownerActive) throw new HttpError(409, "The owner's account is not active, so this entry is paused.")
    const count = await choose(tx)
    await relayStore(context.db, tx).unblock(id)
    await moveOn(context.db, tx, id, { at: context.now() })
    return { count, ownerId: entry.ownerId }
  })
  context.events.publish([changedEntry(herokudiscordwebhook.id, id, ownerId)])
  context.jobs.wake()
  return count
}
