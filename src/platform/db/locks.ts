import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db, Queries } from './open.ts'

/*
 * All row locks are created here. To avoid deadlocks, code that takes several takes them in this order: active admins
 * by id, then the user who is edited; jobs, greatest id first; the entry, or entries by id, with their dependent rows;
 * the new owner of an entry; names; the invitation that a user accepts. SQLite has one writer at a time, so a
 * transaction that writes excludes all others and needs no locks.
 */

/** `update` excludes all other locks, `no key update` allows rows that refer to it, `key share` forbids deletion. */
type Strength = 'update' | 'no key update' | 'key share'
type Which = { of?: readonly string[]; skipLocked?: boolean }

/** The clause that makes a select lock its rows until the transaction ends; empty on SQLite. */
export function rowLock(
  { kind }: Pick<Db, 'kind'>,
  strength: Strength,
  { of = [], skipLocked = false }: Which = {},
): RawBuilder<unknown> {
  if (kind === 'sqlite') return sql``
  const tables = of.length > 0 ? sql` of ${sql.join(of.map((table) => sql.table(table)))}` : sql``
  return sql`for ${sql.raw(strength)}${tables}${sql.raw(skipLocked ? ' skip locked' : '')}`
}

export const lockRows = <Tables, Table extends keyof Tables, Row>(
  db: Pick<Db, 'kind'>,
  query: SelectQueryBuilder<Tables, Table, Row>,
  strength: Strength = 'update',
): SelectQueryBuilder<Tables, Table, Row> => (db.kind === 'sqlite' ? query : query.modifyEnd(rowLock(db, strength)))

/** The clause that makes a select of jobs lock them in the common order. */
export const jobsInOrder = (db: Pick<Db, 'kind'>): RawBuilder<unknown> =>
  db.kind === 'sqlite' ? sql`` : sql`order by job.id desc ${rowLock(db, 'no key update', { of: ['job'] })}`

/** The key to update a job that was just found: SQLite is faster with the row number than with the id. */
export const jobKey = ({ kind }: Pick<Db, 'kind'>): RawBuilder<unknown> =>
  sql.ref(kind === 'sqlite' ? 'job.rowid' : 'job.id')

export async function lockJobs(
  db: Pick<Db, 'kind' | 'isOneOf'>,
  tx: Queries,
  jobs: readonly { id: string }[],
): Promise<void> {
  if (db.kind === 'sqlite') return
  const ids = jobs.map(({ id }) => id)
  await sql`select 1 from job where ${db.isOneOf('id', ids)} ${jobsInOrder(db)}`.execute(tx)
}

/** Locks this entry and its jobs until the transaction ends. */
export async function lockEntry(db: Pick<Db, 'kind'>, tx: Queries, id: string): Promise<void> {
  if (db.kind === 'sqlite') return
  const jobs = tx.selectFrom('job').select('id').where('entry_id', '=', id)
  await lockRows(db, jobs.orderBy('id', 'desc')).execute()
  await lockRows(db, tx.selectFrom('entry').select('id').where('id', '=', id)).execute()
}

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

export async function lockEntriesOf(db: Pick<Db, 'kind'>, tx: Queries, userId: string): Promise<void> {
  if (db.kind === 'sqlite') return
  const entries = tx.selectFrom('entry').select('id').where('owner_id', '=', userId)
  await lockRows(db, tx.selectFrom('job').select('id').where('entry_id', 'in', entries).orderBy('id', 'desc')).execute()
  await lockRows(db, entries.orderBy('id')).execute()
}

/** Locks this name, so that only one transaction at a time continues with it. */
export async function lockName(db: Pick<Db, 'kind'>, tx: Queries, name: string): Promise<void> {
  if (db.kind === 'postgres') await lockNames(db, [name], sql`true`).execute(tx)
}

/**
 * A statement that locks these names, in a fixed order, if `condition` holds. Each name has a row that stays, so names
 * must be few. Not advisory locks: any client that can connect could take them.
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
