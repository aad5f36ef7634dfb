import { sql } from 'kysely'
import type { Queries } from '../../server/db/open.ts'
import type { Kit } from '../../server/kit.ts'
import { collapseWithin } from './collapse.ts'
import { deliveryJob, type NewEvent, relayStore } from './store.ts'

/** Writes events, with the jobs that deliver them, and answers the owners of the entries that are still there. */
export async function writeEvents(
  kit: Kit,
  on: Queries,
  arrived: readonly NewEvent[],
): Promise<ReadonlyMap<string, string>> {
  const entries = await entriesOf(kit, on, arrived)
  const same = await collapsing(kit, on, arrived)
  const events = arrived
    .filter(({ entryId }) => entries.has(entryId))
    .map((event) => (event.state === 'accepted' && same(event) ? collapsed(event) : event))
  const owners = new Map([...entries].map(([id, { ownerId }]) => [id, ownerId]))
  if (events.length === 0) return owners
  const added = await relayStore(kit.db, on).insert(events)
  const due = events.filter(({ id, state }) => state === 'accepted' && added.has(id))
  await kit.jobs.add(
    due.map(({ id, entryId, receivedAt }) => ({
      id: deliveryJob(id),
      kind: 'delivery',
      entryId,
      dueAt: kit.now(),
      turnAt: receivedAt,
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
  const ids = [...new Set(events.map(({ entryId }) => entryId))].map((id) => ({ id }))
  const { rows } = await sql<{ id: string; ownerId: string; lane: string }>`
    select entry.id, entry.owner_id as "ownerId", relay.webhook_id as lane
    from ${db.rows('arrived', { id: 'text' }, ids)}
    join entry on entry.id = arrived.id join relay on relay.entry_id = entry.id
    order by entry.id ${db.kind === 'postgres' ? sql`for key share of entry, relay` : sql``}`.execute(on)
  return new Map(rows.map((row) => [row.id, row]))
}

type Told = { entry: string; key: string }

/** Tells, of one event after the other, whether an equal one of its entry went its way minutes before. */
async function collapsing({ db, now }: Kit, on: Queries, events: readonly NewEvent[]) {
  const told = events.flatMap(({ entryId, collapseKey }) =>
    collapseKey === null ? [] : [{ entry: entryId, key: collapseKey }],
  )
  if (told.length > 0 && db.kind === 'postgres') await oneAfterTheOther(on, told)
  const earlier =
    told.length === 0
      ? []
      : (
          await sql<Told>`
    select told.entry, told.key from ${db.rows('told', { entry: 'text', key: 'text' }, told)}
    where exists (select 1 from relay_event where entry_id = told.entry and collapse_key = told.key
      and received_at > ${now() - collapseWithin} and state in ('accepted', 'delivered', 'held'))`.execute(on)
        ).rows
  const seen = new Set(earlier.map(({ entry, key }) => `${entry} ${key}`))
  return ({ entryId, collapseKey }: NewEvent) => {
    if (collapseKey === null) return false
    const key = `${entryId} ${collapseKey}`
    return seen.has(key) || !seen.add(key)
  }
}

/** Two instances that receive equal events at once do not both find that there is no other. */
async function oneAfterTheOther(on: Queries, told: readonly Told[]) {
  const numbers = [...new Set(told.map(({ key }) => Buffer.from(key, 'base64url').readBigInt64BE()))].sort().map(String)
  await sql`select pg_advisory_xact_lock(number) from unnest(${numbers}::bigint[]) as number`.execute(on)
}
