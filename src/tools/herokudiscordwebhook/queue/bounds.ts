import { sql } from 'kysely'
import type { Db, Queries } from '../../../platform/db/open.ts'
import type { NewEvent } from './store.ts'

/** The maximum number of events per entry, and the maximum bytes of their payloads. */
export const bounds = { events: 10_000, bytes: 32_000_000 }
/** Trim in steps of this size, so that a full entry doesn't trim with every event. */
const spare = { events: bounds.events / 100, bytes: bounds.bytes / 100 }
/** Below this there is room even for events that other instances add at the same time. */
const nearlyFull = { events: bounds.events / 2, bytes: bounds.bytes / 2 }
const trimBatch = 500

type Volume = { events: number; bytes: number }
type Volumes = Volume & { id: string; openEvents: number; openBytes: number }

/** Whether the bounds of an entry with this volume must be checked once these events are added. */
export const isNearlyFull = ({ events, bytes }: Volume, added: readonly NewEvent[]) =>
  events + added.length > nearlyFull.events || bytes + sizeOf(added) > nearlyFull.bytes
const exceeds = ({ events, bytes }: Volume) => events > bounds.events || bytes > bounds.bytes

/** Deletes finished events and, if open ones alone exceed the bounds, the newest inserted ones; returns their ids. */
export async function enforceBounds(db: Db, tx: Queries, inserted: readonly NewEvent[]): Promise<ReadonlySet<string>> {
  const refused = new Set<string>()
  if (inserted.length === 0) return refused
  const byEntry = Map.groupBy(inserted, ({ entry_id }) => entry_id)
  for (const volumes of await volumesOf(db, tx, [...byEntry.keys()])) {
    const refusedHere = findExcess(volumes, byEntry.get(volumes.id) ?? [])
    for (const { id } of refusedHere) refused.add(id)
    await remove(db, tx, volumes.id, refusedHere)
    const remaining = { events: volumes.events - refusedHere.length, bytes: volumes.bytes - sizeOf(refusedHere) }
    if (exceeds(remaining)) await trim(db, tx, volumes.id, remaining)
  }
  return refused
}

async function volumesOf(db: Db, tx: Queries, ids: readonly string[]): Promise<Volumes[]> {
  const { rows } = await sql<Volumes>`select entry_id as id, events, bytes, open_events as "openEvents",
    open_bytes as "openBytes" from relay where ${db.isOneOf('entry_id', ids)}`.execute(tx)
  return rows
}

/** Returns an entry's new events for which there is no room, with their duplicates. */
function findExcess({ openEvents, openBytes }: Volumes, events: readonly NewEvent[]): NewEvent[] {
  let open = { events: openEvents, bytes: openBytes }
  const refused: NewEvent[] = []
  for (const event of events.toReversed()) {
    if (!exceeds(open)) break
    if (event.state !== 'accepted') continue
    open = { events: open.events - 1, bytes: open.bytes - sizeOf([event]) }
    refused.push(event)
  }
  const keys = new Set(refused.flatMap(({ collapse_key }) => collapse_key ?? []))
  const same = events.filter(({ state, collapse_key: key }) => state === 'collapsed' && key !== null && keys.has(key))
  return [...refused, ...same]
}

/** Deletes up to a batch of an entry's finished events, oldest first, until the entry is below its bounds. */
async function trim(db: Db, tx: Queries, entryId: string, { events, bytes }: Volume): Promise<void> {
  const { rows } = await sql<{ id: string; size: number }>`select id, octet_length(payload) as size from relay_event
    where entry_id = ${entryId} and state not in ('accepted', 'held') order by id limit ${trimBatch}`.execute(tx)
  let remaining = { events, bytes }
  const old: typeof rows = []
  for (const row of rows) {
    if (remaining.events <= bounds.events - spare.events && remaining.bytes <= bounds.bytes - spare.bytes) break
    remaining = { events: remaining.events - 1, bytes: remaining.bytes - row.size }
    old.push(row)
  }
  await remove(db, tx, entryId, old)
}

const sizeOf = (events: readonly NewEvent[]) => events.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0)

async function remove(db: Db, tx: Queries, entryId: string, events: readonly { id: string }[]): Promise<void> {
  if (events.length === 0) return
  const ids = events.map(({ id }) => id)
  await tx.deleteFrom('relay_event').where('entry_id', '=', entryId).where(db.isOneOf('id', ids)).execute()
}
