import { sql } from 'kysely'
import type { Context } from '../../../platform/context.ts'
import { lockNumbers, rowLock } from '../../../platform/db/locks.ts'
import type { Queries } from '../../../platform/db/open.ts'
import type { Instant } from '../../../shared/time.ts'
import { ensureJobs, type Turn } from '../queue/delivery-job.ts'
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

/** An entry `hasJob` when that is locked too. */
type Entry = { id: string; ownerId: string; lane: string; hasJob: boolean | 0 | 1 }
type Asked = { ids: readonly string[]; told: readonly string[] }

/**
 * Where these entries lead, and whose they are. By one question, since each takes a turn to the database, it locks what
 * must not change until the transaction ends: the jobs, which do not end meanwhile; the entries; and what was told, so
 * that two instances that receive equal events at once do not both find that there is no other.
 */
async function entriesOf({ db }: Context, tx: Queries, { ids, told }: Asked): Promise<Map<string, Entry>> {
  const numbers = told.map((key) => Buffer.from(key, 'base64url').readBigInt64BE())
  const { rows } = await sql<Entry>`
    with job_kept as materialized (
      select entry_id from job where ${db.isOneOf('entry_id', ids)} and kind = 'delivery'
      order by id desc ${rowLock(db, 'key share')}),
    entry_kept as materialized (
      select entry.id, entry.owner_id, relay.webhook_id from entry join relay on relay.entry_id = entry.id
      where ${db.isOneOf('entry.id', ids)} and (select count(*) from job_kept) >= 0
      order by entry.id ${rowLock(db, 'key share', { of: ['entry', 'relay'] })}),
    told_kept as materialized (${lockNumbers(db, numbers, sql`(select count(*) from entry_kept) >= 0`)})
    select id, owner_id as "ownerId", webhook_id as lane, id in (select entry_id from job_kept) as "hasJob"
    from entry_kept where (select count(*) from told_kept) >= 0`.execute(tx)
  return new Map(rows.map((row) => [row.id, row]))
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
