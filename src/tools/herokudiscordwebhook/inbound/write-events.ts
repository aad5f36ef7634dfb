import { sql } from 'kysely'
import type { Context } from '../../../platform/context.ts'
import type { Queries } from '../../../platform/db/open.ts'
import type { Instant } from '../../../shared/time.ts'
import { deliveryJob, ensureJobs, type Turn } from '../queue/delivery-job.ts'
import { relayStore } from '../queue/store.ts'
import { collapseWithin } from './collapse.ts'
import type { NewEvent } from './insert-events.ts'

export type Written = {
  /** The owners of the entries that are still there, by id. */
  owners: ReadonlyMap<string, string>
  /** Whether there is a job that was not there before. */
  isDue: boolean
}

/** Writes events, and sees to the jobs that deliver them. */
export async function writeEvents(context: Context, tx: Queries, arrived: readonly NewEvent[]): Promise<Written> {
  const told = [...new Set(arrived.flatMap(({ collapseKey }) => collapseKey ?? []))]
  const entries = await entriesOf(context, tx, { ids: [...new Set(arrived.map(({ entryId }) => entryId))], told })
  const same = await collapsing(context, tx, told)
  const events = arrived
    .filter(({ entryId }) => entries.has(entryId))
    .map((event) => (event.state === 'accepted' && same(event) ? collapsed(event) : event))
  const owners = new Map([...entries].map(([id, { ownerId }]) => [id, ownerId]))
  if (events.length === 0) return { owners, isDue: false }
  const added = await relayStore(context.db, tx).insert(events)
  const due = events.filter(({ id, state }) => state === 'accepted' && added.has(id))
  const turns = new Map<string, Turn>()
  for (const { entryId, receivedAt: turnAt } of due)
    if (!turns.has(entryId)) turns.set(entryId, { lane: entries.get(entryId)!.lane, turnAt })
  const held = [...entries.values()].flatMap(({ id, hasJob }) => (hasJob ? [id] : []))
  return { owners, isDue: await ensureJobs(context, tx, { turns, held }) }
}

const collapsed = (event: NewEvent): NewEvent => ({
  ...event,
  state: 'collapsed',
  note: 'duplicate of a recent event',
})

/** An entry `hasJob` when that is held; SQLite, which has one writer, has nothing to hold. */
type Entry = { id: string; ownerId: string; lane: string; hasJob: boolean }
type Asked = { ids: readonly string[]; told: readonly string[] }

/** Where these entries lead, and whose they are; nothing of that changes until the transaction ends. */
async function entriesOf({ db }: Context, tx: Queries, { ids, told }: Asked): Promise<Map<string, Entry>> {
  const asked = db.kind === 'postgres' ? heldOnPostgres(ids, told) : ofSqlite(db, ids)
  const { rows } = await asked.execute(tx)
  return new Map(rows.map((row) => [row.id, row]))
}

const ofSqlite = (db: Context['db'], ids: readonly string[]) => {
  const asked = ids.map((id) => ({ id }))
  return sql<Entry>`
    select entry.id, entry.owner_id as "ownerId", relay.webhook_id as lane, false as "hasJob"
    from ${db.rows('arrived', { id: 'text' }, asked)}
    join entry on entry.id = arrived.id join relay on relay.entry_id = entry.id`
}

/**
 * Holds, by one question since each takes a turn to the database, what must not change until the transaction ends:
 * the jobs, which do not end meanwhile, the greatest first; then the entries; then what was told, so that two instances
 * that receive equal events at once do not both find that there is no other. Everywhere they are held in this order.
 */
const heldOnPostgres = (ids: readonly string[], told: readonly string[]) => {
  const jobIds = ids.map(deliveryJob)
  const numbers = [...new Set(told.map((key) => Buffer.from(key, 'base64url').readBigInt64BE()))].sort().map(String)
  return sql<Entry>`
    with job_held as materialized (
      select entry_id from job where id = any(${jobIds}) order by id desc for key share),
    entry_held as materialized (
      select entry.id, entry.owner_id, relay.webhook_id from entry join relay on relay.entry_id = entry.id
      where entry.id = any(${ids}) and (select count(*) from job_held) >= 0
      order by entry.id for key share of entry, relay),
    told_held as materialized (
      select pg_advisory_xact_lock(number) from unnest(${numbers}::bigint[]) as number
      where (select count(*) from entry_held) >= 0)
    select id, owner_id as "ownerId", webhook_id as lane, id in (select entry_id from job_held) as "hasJob"
    from entry_held where (select count(*) from told_held) >= 0`
}

/** Tells, of one event after the other, whether an equal one of its entry went its way minutes before. */
async function collapsing({ db, now }: Context, tx: Queries, told: readonly string[]) {
  const seen = new Set(told.length === 0 ? [] : await earlier(db, tx, told, now() - collapseWithin))
  return ({ collapseKey: key }: NewEvent) => key !== null && (seen.has(key) || !seen.add(key))
}

async function earlier(db: Context['db'], tx: Queries, told: readonly string[], since: Instant): Promise<string[]> {
  const records = told.map((key) => ({ key }))
  const { rows } = await sql<{ key: string }>`
    select told.key from ${db.rows('told', { key: 'text' }, records)}
    where exists (select 1 from relay_event where collapse_key = told.key
      and received_at > ${since} and state in ('accepted', 'delivered', 'held'))`.execute(tx)
  return rows.map(({ key }) => key)
}
