import { sql } from 'kysely'
import type { Queries } from '../../server/db/open.ts'
import type { Kit } from '../../server/kit.ts'
import type { Instant } from '../../shared/time.ts'
import { collapseWithin } from './collapse.ts'
import { ensureJobs, holdJobs, type Turn } from './delivery-job.ts'
import { type NewEvent, relayStore } from './store.ts'

export type Written = {
  /** The owners of the entries that are still there, by id. */
  owners: ReadonlyMap<string, string>
  /** Whether there is a job that was not there before. */
  isDue: boolean
}

/** Writes events, and sees to the jobs that deliver them. */
export async function writeEvents(kit: Kit, on: Queries, arrived: readonly NewEvent[]): Promise<Written> {
  const held = await holdJobs(kit.db, on, [...new Set(arrived.map(({ entryId }) => entryId))])
  const entries = await entriesOf(kit, on, arrived)
  const same = await collapsing(kit, on, arrived)
  const events = arrived
    .filter(({ entryId }) => entries.has(entryId))
    .map((event) => (event.state === 'accepted' && same(event) ? collapsed(event) : event))
  const owners = new Map([...entries].map(([id, { ownerId }]) => [id, ownerId]))
  if (events.length === 0) return { owners, isDue: false }
  const added = await relayStore(kit.db, on).insert(events)
  const due = events.filter(({ id, state }) => state === 'accepted' && added.has(id))
  const turns = new Map<string, Turn>()
  for (const { entryId, receivedAt: turnAt } of due)
    if (!turns.has(entryId)) turns.set(entryId, { lane: entries.get(entryId)!.lane, turnAt })
  return { owners, isDue: await ensureJobs(kit, on, { turns, held }) }
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

/** Tells, of one event after the other, whether an equal one of its entry went its way minutes before. */
async function collapsing({ db, now }: Kit, on: Queries, events: readonly NewEvent[]) {
  const told = [...new Set(events.flatMap(({ collapseKey }) => collapseKey ?? []))]
  if (told.length > 0 && db.kind === 'postgres') await oneAfterTheOther(on, told)
  const seen = new Set(told.length === 0 ? [] : await earlier(db, on, told, now() - collapseWithin))
  return ({ collapseKey: key }: NewEvent) => key !== null && (seen.has(key) || !seen.add(key))
}

async function earlier(db: Kit['db'], on: Queries, told: readonly string[], since: Instant): Promise<string[]> {
  const records = told.map((key) => ({ key }))
  const { rows } = await sql<{ key: string }>`
    select told.key from ${db.rows('told', { key: 'text' }, records)}
    where exists (select 1 from relay_event where collapse_key = told.key
      and received_at > ${since} and state in ('accepted', 'delivered', 'held'))`.execute(on)
  return rows.map(({ key }) => key)
}

/** Two instances that receive equal events at once do not both find that there is no other. */
async function oneAfterTheOther(on: Queries, told: readonly string[]) {
  const numbers = [...new Set(told.map((key) => Buffer.from(key, 'base64url').readBigInt64BE()))].sort().map(String)
  await sql`select pg_advisory_xact_lock(number) from unnest(${numbers}::bigint[]) as number`.execute(on)
}
