import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db, Queries } from './open.ts'

/*
 * All row locks are made here, and code that takes several takes them in this order, so that nobody waits in a circle:
 * active admins by id, then the user who is edited; jobs, greatest id first; the entry, or entries by id, with their
 * dependent rows; the new owner of an entry; names; the invitation that a user accepts. SQLite has one writer at
 * a time, so a transaction that writes keeps everybody else out and nothing has to be locked.
 */

/** `update` keeps everybody from the row, `no key update` everybody except rows that refer to it, `key share` only those who would delete it. */
type Strength = 'update' | 'no key update' | 'key share'
type Which = { of?: readonly string[]; skipLocked?: boolean }

/** The end of a select that locks its rows until the transaction ends. */
export function rowLock(
  { kind }: Pick<Db, 'kind'>,
  strength: Strength,
  { of = [], skipLocked = false }: Which = {},
): RawBuilder<unknown> {
  if (kind === 'sqlite') return sql``
  const tables = of.length > 0 ? sql` of ${sql.join(of.map((table) => sql.table(table)))}` : sql``
  return sql`for ${sql.raw(strength)}${tables}${sql.raw(skipLocked ? ' skip locked' : '')}`
}

/** Keeps others from the rows of this query until the transaction ends. */
export const lockRows = <Tables, Table extends keyof Tables, Row>(
  db: Pick<Db, 'kind'>,
  query: SelectQueryBuilder<Tables, Table, Row>,
  strength: Strength = 'update',
): SelectQueryBuilder<Tables, Table, Row> => (db.kind === 'sqlite' ? query : query.modifyEnd(rowLock(db, strength)))

/** The end of a select of jobs that locks them in the common order. */
export const jobsInOrder = (db: Pick<Db, 'kind'>): RawBuilder<unknown> =>
  db.kind === 'sqlite' ? sql`` : sql`order by job.id desc ${rowLock(db, 'no key update', { of: ['job'] })}`

/** By which a statement finds a job again that it has just found: SQLite takes less time for the row's number than for its id. */
export const jobKey = ({ kind }: Pick<Db, 'kind'>): RawBuilder<unknown> =>
  sql.ref(kind === 'sqlite' ? 'job.rowid' : 'job.id')

/** Keeps others from these jobs until the transaction ends. */
export async function lockJobs(
  db: Pick<Db, 'kind' | 'isOneOf'>,
  tx: Queries,
  jobs: readonly { id: string }[],
): Promise<void> {
  if (db.kind === 'sqlite') return
  const ids = jobs.map(({ id }) => id)
  await sql`select 1 from job where ${db.isOneOf('id', ids)} ${jobsInOrder(db)}`.execute(tx)
}

/** Keeps others from this entry and its jobs until the transaction ends. */
export async function lockEntry(db: Pick<Db, 'kind'>, tx: Queries, id: string): Promise<void> {
  if (db.kind === 'sqlite') return
  const jobs = tx.selectFrom('job').select('id').where('entry_id', '=', id)
  await lockRows(db, jobs.orderBy('id', 'desc')).execute()
  await lockRows(db, tx.selectFrom('entry').select('id').where('id', '=', id)).execute()
}

/** Keeps others from these entries and their jobs until the transaction ends. */
export async function lockEntries(
  db: Pick<Db, 'kind' | 'isOneOf'>,
  tx: Queries,
  ids: readonly string[],
): Promise<void> {
  if (db.kind === 'sqlite') return
  const jobs = tx.selectFrom('job').select('id').where(db.isOneOf('entry_id', ids))
  await lockRows(db, jobs.orderBy('id', 'desc')).execute()
  await lockRows(db, tx.selectFrom('entry').select('id').where(db.isOneOf('id', ids)).orderBy('id')).execute()
}

/** Keeps others from this user's entries and their jobs until the transaction ends. */
export async function lockEntriesOf(db: Pick<Db, 'kind'>, tx: Queries, userId: string): Promise<void> {
  if (db.kind === 'sqlite') return
  const entries = tx.selectFrom('entry').select('id').where('owner_id', '=', userId)
  await lockRows(db, tx.selectFrom('job').select('id').where('entry_id', 'in', entries).orderBy('id', 'desc')).execute()
  await lockRows(db, entries.orderBy('id')).execute()
}

/** Lets only one transaction at a time continue under this name. */
export async function lockName(db: Pick<Db, 'kind'>, tx: Queries, name: string): Promise<void> {
  if (db.kind === 'postgres') await lockNames(db, [name], sql`true`).execute(tx)
}

/**
 * A statement that lets only one transaction at a time continue under each of these names, taken in one order, if
 * `condition` holds. Each has a row, which stays, so names must be few; anybody who may connect could take advisory locks.
 */
export const lockNames = (
  { kind }: Pick<Db, 'kind'>,
  names: readonly string[],
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> => {
  if (kind === 'sqlite') return sql`select 1 where false`
  const keys = [...new Set(names)].sort().map((name) => `lock: ${name}`)
  return sql`insert into setting (key, value) select key, '' from unnest(${keys}::text[]) as key where ${condition}
    on conflict (key) do update set value = '' returning 1`
}
