import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { changed } from '../../entries/edit.ts'
import type { Queries } from '../../server/db/open.ts'
import type { Kit } from '../../server/kit.ts'
import { collapseKeyOf, collapseWithin } from './collapse.ts'
import { herokudiscordwebhook } from './contract.ts'
import type { HerokuEvent } from './event.ts'
import type { NextId } from './event-ids.ts'
import { deliveryJob, type NewEvent, relayStore } from './store.ts'

/** An event that Heroku has delivered to an entry; `ignored` says why it goes no further. */
export type Arrival = { entryId: string; event: HerokuEvent; payload: string; ignored: string | null }
type Waiting = { event: NewEvent; done: (known: boolean) => void; failed: (error: unknown) => void }

const largest = 200

/** Commits events with the jobs that deliver them. Those that arrive while others are written share one transaction. */
export function acceptor(kit: Kit, nextId: NextId): (arrival: Arrival) => Promise<boolean> {
  let waiting: Waiting[] = []
  let writing = false

  const writeAll = async () => {
    writing = true
    while (waiting.length > 0) {
      await grown()
      const batch = waiting.slice(0, largest)
      waiting = waiting.slice(largest)
      const arrived = batch.map(({ event }) => event)
      await kit.db.q
        .transaction()
        .execute((on) => write(kit, on, arrived))
        .then(
          (owners) => {
            for (const { event, done } of batch) done(owners.has(event.entryId))
            kit.events.publish(
              [...owners].map(([id, ownerId]) => changed({ contract: herokudiscordwebhook }, id, ownerId)),
            )
          },
          (error: unknown) => {
            for (const { failed } of batch) failed(error)
          },
        )
      kit.jobs.wake()
    }
    writing = false
  }

  /** While events pour in, a batch may grow for a few turns of the event loop: each commit waits for the disk. */
  const grown = async () => {
    for (let turn = 0, before = 0; turn < 4 && waiting.length > before && waiting.length < largest; turn += 1) {
      before = waiting.length
      await new Promise(setImmediate)
    }
  }

  /** Resolves once the event is on disk, whatever becomes of it; false when its entry is gone. */
  return (arrival) =>
    new Promise((done, failed) => {
      waiting.push({ event: newEvent(arrival, nextId()), done, failed })
      if (!writing) void writeAll()
    })
}

const newEvent = ({ entryId, event, payload, ignored }: Arrival, { id, at }: { id: string; at: number }): NewEvent => ({
  id,
  entryId,
  eventId: event.id,
  resource: event.entity,
  action: event.action,
  state: ignored === null ? 'accepted' : 'ignored',
  receivedAt: at,
  note: ignored,
  payload,
  collapseKey: collapseKeyOf(event) ?? null,
})

/** Writes events and answers the owners of the entries that are still there. */
async function write(kit: Kit, on: Queries, arrived: readonly NewEvent[]): Promise<ReadonlyMap<string, string>> {
  const store = relayStore(kit.db, on)
  const entries = await entriesOf(kit, on, arrived)
  const same = await collapsing(kit, on, arrived)
  const events = arrived
    .filter(({ entryId }) => entries.has(entryId))
    .map((event) => (event.state === 'accepted' && same(event) ? collapsed(event) : event))
  const owners = new Map([...entries].map(([id, { ownerId }]) => [id, ownerId]))
  if (events.length === 0) return owners
  const added = await store.insert(events)
  const due = events.filter(({ id, state }) => state === 'accepted' && added.has(id))
  await kit.jobs.add(
    due.map(({ id, entryId, receivedAt }) => ({
      id: deliveryJob(id),
      kind: 'delivery',
      entryId,
      dueAt: receivedAt,
      lane: entries.get(entryId)!.lane,
    })),
    on,
  )
  return owners
}

const collapsed = (event: NewEvent): NewEvent => ({
  ...event,
  state: 'collapsed',
  note: 'equal to another event minutes before',
})

/** The webhooks that these entries lead to, and their owners; no change of them comes between until the transaction ends. */
async function entriesOf({ db }: Kit, on: Queries, events: readonly NewEvent[]) {
  const rows = on
    .selectFrom('entry')
    .innerJoin('relay', 'relay.entry_id', 'entry.id')
    .select(['entry.id', 'entry.owner_id', 'relay.webhook_id'])
    .where('entry.id', 'in', [...new Set(events.map(({ entryId }) => entryId))])
    .orderBy('entry.id')
  const found = await (db.kind === 'postgres' ? rows.forKeyShare() : rows).execute()
  return new Map(found.map((row) => [row.id, { lane: row.webhook_id, ownerId: row.owner_id }]))
}

/** Tells, of one event after the other, whether an equal one of its entry went its way minutes before. */
async function collapsing({ db, now }: Kit, on: Queries, events: readonly NewEvent[]) {
  const keys = [...new Set(events.flatMap(({ collapseKey }) => collapseKey ?? []))]
  if (keys.length > 0 && db.kind === 'postgres') await oneAfterTheOther(on, keys)
  const earlier =
    keys.length === 0
      ? []
      : await on
          .selectFrom('relay_event')
          .select(['entry_id', 'collapse_key', 'event_id'])
          .where('entry_id', 'in', [...new Set(events.map(({ entryId }) => entryId))])
          .where('collapse_key', 'in', keys)
          .where('received_at', '>', now() - collapseWithin)
          .where('state', 'in', ['accepted', 'delivered', 'held'])
          .execute()
  const seen = new Set(earlier.map((row) => `${row.entry_id} ${row.collapse_key}`))
  return ({ entryId, collapseKey }: NewEvent) => {
    if (collapseKey === null) return false
    const key = `${entryId} ${collapseKey}`
    return seen.has(key) || !seen.add(key)
  }
}

/** Two instances that receive equal events at once do not both find that there is no other. */
async function oneAfterTheOther(on: Queries, keys: readonly string[]) {
  const numbers = keys.map((key) => createHash('sha256').update(key).digest().readBigInt64BE().toString()).toSorted()
  for (const number of numbers) await sql`select pg_advisory_xact_lock(${number}::bigint)`.execute(on)
}
