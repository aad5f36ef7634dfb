import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod/mini'
import { entryChanged } from '../../entries/stored-entry.ts'
import type { Context } from '../../platform/context.ts'
import { groupCommit } from '../../platform/db/group-commit.ts'
import { lockNames, rowLock } from '../../platform/db/locks.ts'
import { pipeline, prepare } from '../../platform/db/look-up.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import { type Instant, type Milliseconds, minutes } from '../../shared/time.ts'
import { herokudiscordwebhook } from './contract.ts'
import { type HerokuEvent, maybe } from './event/event.ts'
import { redactPayload } from './event/redact.ts'
import { enforceBounds, isNearlyFull } from './queue/bounds.ts'
import { deliveryKind, ensureJobs, type Turn } from './queue/delivery-job.ts'
import { type NewEvent, type NextId, relayStore, shortKey } from './queue/store.ts'

/** An event delivered to an entry. `ignored`: why it isn't forwarded. `card`: whether the entry has deploy cards. */
type Arrival = { entryId: string; event: HerokuEvent; payload: string; ignored: string | null; card: boolean }

const groupSize = 200
/** Limits wake-ups: looking for due work takes longer than writing an event. */
const wakeEvery: Milliseconds = 50

/** The outcome of an arrival: on disk, its entry is deleted, or too many of the entry's events wait for Discord. */
type AcceptResult = 'written' | 'gone' | 'full'

/** Returns a function that commits an event with its delivery job, and resolves once the event is on disk. */
export function acceptor(context: Context, nextId: NextId): (arrival: Arrival) => Promise<AcceptResult> {
  const wake = throttle(context.jobs.wake, wakeEvery)
  const arrivals = groupCommit<NewEvent, AcceptResult>(context.db, {
    most: groupSize,
    write,
    watch: context.health.watch('relay'),
  })

  async function write(events: readonly NewEvent[]): Promise<AcceptResult[]> {
    const { owners, refused, isDue } = await transact(context.db, (tx) => writeEvents(context, tx, events))
    if (isDue) wake()
    context.events.publish([...owners].map(([id, ownerId]) => entryChanged(herokudiscordwebhook.id, id, ownerId)))
    return events.map(({ id, entry_id }) => {
      if (refused.has(id)) return 'full'
      return owners.has(entry_id) ? 'written' : 'gone'
    })
  }

  return (arrival) => arrivals.add(newEvent(arrival, nextId()))
}

const newEvent = (
  { entryId, event, payload, ignored, card }: Arrival,
  { id, at }: { id: string; at: number },
): NewEvent => ({
  id,
  entry_id: entryId,
  event_id: event.id,
  resource: event.entity,
  action: event.action,
  state: ignored === null ? 'accepted' : 'ignored',
  received_at: at,
  note: ignored,
  payload,
  collapse_key: collapseKeyOf(event, entryId, { card }) ?? null,
})

/** Calls immediately, and combines further calls within `every` into one at its end. */
function throttle(call: () => void, every: Milliseconds): () => void {
  let resting = false
  let missed = false
  const now = () => {
    resting = true
    missed = false
    call()
    setTimeout(() => {
      resting = false
      if (missed) now()
    }, every).unref()
  }
  return () => {
    missed = resting
    if (!resting) now()
  }
}

type WriteResult = {
  /** The owner ids of the entries that still exist, by entry id. */
  owners: ReadonlyMap<string, string>
  /** The ids of events that exceed the bounds of their entry. */
  refused: ReadonlySet<string>
  isDue: boolean
}

export async function writeEvents(context: Context, tx: Queries, arrived: readonly NewEvent[]): Promise<WriteResult> {
  const keys = [...new Set(arrived.flatMap(({ collapse_key }) => collapse_key ?? []))]
  const ids = [...new Set(arrived.map(({ entry_id }) => entry_id))]
  const since = context.now() - collapseWithin
  const [rows, earlier] = await pipeline(tx, [
    prepare(lockEntries(context.db, { ids, keys }).compile(tx)),
    prepare(findEarlierKeys(context.db, { keys, since }).compile(tx)),
  ])
  const entries = new Map(rows.map((row) => [row.id, row]))
  const isDuplicate = duplicateCheck(earlier.map(({ key }) => key))
  const events = arrived
    .filter(({ entry_id }) => entries.has(entry_id))
    .map((event) => (event.state === 'accepted' && isDuplicate(event) ? toCollapsed(event) : event))
  const owners = new Map([...entries].map(([id, { ownerId }]) => [id, ownerId]))
  if (events.length === 0) return { owners, refused: new Set(), isDue: false }
  const added = await relayStore(context.db, tx).insert(events)
  const byEntry = Map.groupBy(events, ({ entry_id }) => entry_id)
  const crowded = [...byEntry].flatMap(([id, its]) =>
    isNearlyFull(entries.get(id)!, its) ? its.filter((event) => added.has(event.id)) : [],
  )
  const refused = withDuplicates(events, await enforceBounds(context.db, tx, crowded))
  const due = events.filter(({ id, state }) => state === 'accepted' && added.has(id) && !refused.has(id))
  const turns = new Map<string, Turn>()
  for (const { entry_id: entryId, received_at: turnAt } of due)
    if (!turns.has(entryId)) turns.set(entryId, { lane: entries.get(entryId)!.lane, turnAt })
  const locked = [...entries.values()].flatMap(({ id, hasJob }) => (hasJob ? [id] : []))
  return { owners, refused, isDue: await ensureJobs(context, tx, { turns, locked }) }
}

/** Adds repeats of refused events in the same group: an event that isn't stored must not be acknowledged. */
function withDuplicates(events: readonly NewEvent[], refused: ReadonlySet<string>): ReadonlySet<string> {
  if (refused.size === 0) return refused
  const nameOf = ({ entry_id, event_id }: NewEvent) => `${entry_id} ${event_id}`
  const names = new Set(events.filter(({ id }) => refused.has(id)).map(nameOf))
  return new Set(events.filter((event) => names.has(nameOf(event))).map(({ id }) => id))
}

const toCollapsed = (event: NewEvent): NewEvent => ({
  ...event,
  state: 'collapsed',
  note: 'duplicate of a recent event',
})

/** `hasJob`: the entry has a delivery job, which is locked too. */
type Entry = { id: string; ownerId: string; lane: string; hasJob: boolean | 0 | 1; events: number; bytes: number }
type Lookup = { ids: readonly string[]; keys: readonly string[] }

// One statement locks the jobs (so that they don't end), the entries and the collapse keys until the transaction ends.
// If two instances receive equal events at the same time, the second one therefore sees the event of the first.
// Keys are locked by their first character, so that few lock rows suffice. The counts set the order of the steps.
function lockEntries(db: Db, { ids, keys }: Lookup): RawBuilder<Entry> {
  const names = keys.map((key) => `relay ${key[0]}`)
  return sql<Entry>`
    with job_locked as materialized (
      select entry_id from job where ${db.isOneOf('entry_id', ids)} and kind = ${sql.lit(deliveryKind)}
      order by id desc ${rowLock(db, 'key share')}),
    entry_locked as materialized (
      select entry.id, entry.owner_id, relay.webhook_id, relay.events, relay.bytes from entry join relay on relay.entry_id = entry.id
      where ${db.isOneOf('entry.id', ids)} and (select count(*) from job_locked) >= 0
      order by entry.id ${rowLock(db, 'key share', { of: ['entry', 'relay'] })}),
    key_locked as materialized (${lockNames(db, names, sql`(select count(*) from entry_locked) >= 0`)})
    select id, owner_id as "ownerId", webhook_id as lane, events, bytes, id in (select entry_id from job_locked) as "hasJob"
    from entry_locked where (select count(*) from key_locked) >= 0`
}

/** Selects the collapse keys that an event received after `since` already has. */
function findEarlierKeys(
  db: Db,
  { keys, since }: { keys: readonly string[]; since: Instant },
): RawBuilder<{ key: string }> {
  const records = keys.map((key) => ({ key }))
  // A subquery per key, because PostgreSQL might otherwise read all recent events at every write.
  return sql`select asked.key from ${db.rows('asked', { key: 'text' }, records)}
    where (select true from relay_event where collapse_key = asked.key
      and received_at > ${since} and state in ('accepted', 'delivered', 'held') limit 1)`
}

/** Returns a check for duplicates of recent events, to be called once per event in order of arrival. */
function duplicateCheck(earlier: readonly string[]) {
  const seen = new Set(earlier)
  return ({ collapse_key: key }: NewEvent) => key !== null && (seen.has(key) || !seen.add(key))
}

/** Heroku sends some events twice with different ids. Events with equal keys within this time are duplicates. */
const collapseWithin = minutes(10)

const Compared = z.object({ id: maybe(z.string().check(z.maxLength(200))), version: maybe(z.number()) })

/** Entities for which an equal id, version and status means a duplicate: a release succeeds only once. */
const knownByStatus = new Set(['api:build', 'api:release', 'api:dyno', 'dyno'])

/** Cards also show other changes: a build's release becomes known, or a release is no longer current. */
const isPartOfCard = ({ entity }: HerokuEvent) => entity === 'api:build' || entity === 'api:release'

/** Returns a key that an entry's duplicate events share; undefined if the event can't be compared. */
export function collapseKeyOf(
  event: HerokuEvent,
  entryId: string,
  { card }: { card: boolean } = { card: false },
): string | undefined {
  const { id, version } = Compared.parse(event.data)
  if (id === undefined) return undefined
  const { entity, status } = event
  const parts = [entryId, entity, id, status ?? null, version ?? null]
  if (!knownByStatus.has(entity) || (card && isPartOfCard(event))) return keyOf([...parts, digestOf(event)])
  return status === undefined && version === undefined ? undefined : keyOf(parts)
}

const keyOf = (parts: unknown[]) => shortKey(JSON.stringify(parts))

/** Compares all fields: an add-on keeps its state when its plan changes, and a removed domain keeps its status. */
const digestOf = ({ action, data, previous }: HerokuEvent) =>
  redactPayload({ action, previous, data }, { showActor: false })
