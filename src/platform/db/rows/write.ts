import { CompiledQuery, type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Added, prepare, repeated } from '../look-up.ts'
import { addInsertedSql, type CounterDefinition } from '../migrations/counter-triggers.ts'
import type { Column, Db, Queries } from '../open.ts'
import type { Tables } from '../tables.ts'

type Value = string | number | null
type New<Name extends string> = {
  table: { [Table in keyof Tables]: 'seq' extends keyof Tables[Table] ? Table : never }[keyof Tables]
  /** The unique column that shows whether a record exists already. */
  key: Name
  columns: Record<Name | 'id', Column>
  records: readonly Record<Name | 'id', Value>[]
  sums: CounterDefinition
}

/** Adds records, numbered by `seq` in the order of their ids, and skips existing keys. Returns the ids it added. */
export function insertNew<Name extends string>(db: Db, tx: Queries, added: New<Name>): Promise<Set<string>> {
  return db.kind === 'sqlite' ? insertEach(tx, added) : insertBatch(db, tx, added)
}

/** Runs a short statement per record, prepared once: on SQLite this takes half as long as one statement for all. */
async function insertEach<Name extends string>(tx: Queries, { table, key, columns, records, sums }: New<Name>) {
  const names = Object.keys(columns) as (Name | 'id')[]
  // Rows are numbered as they are added, so the last row has the highest number, whatever rowids a copied file has.
  const last = `select max(seq, 0) from ${table} order by rowid desc limit 1`
  const text = `insert into ${table} (${names.join(', ')}, seq)
    values (${names.map(() => '?')}, coalesce((${last}), 0) + 1) on conflict (${key}) do nothing`
  const lists = records.map((record) => names.map((name) => record[name]))
  const { rows } = await tx.executeQuery<Added>(repeated(text, lists))
  const first = rows.find((row) => row > 0)
  if (first !== undefined) await tx.executeQuery(CompiledQuery.raw(addInsertedSql(sums), [first]))
  return new Set(records.flatMap(({ id }, index) => (rows[index] ? [String(id)] : [])))
}

/** Skips existing records first: the insert could deadlock with a transaction that is changing them. */
async function insertBatch<Name extends string>(
  db: Db,
  tx: Queries,
  { table, key, columns, records }: New<Name>,
): Promise<Set<string>> {
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)))
  const insert = sql<{ id: string }>`insert into ${sql.table(table)} (${names})
    select ${names} from ${db.rows('added', columns, records)}
    where (select true from ${sql.table(table)} as known where ${sql.ref(`known.${key}`)} = ${sql.ref(`added.${key}`)} limit 1) is null
    order by id on conflict (${sql.ref(key)}) do nothing returning id`
  const { rows } = await tx.executeQuery(prepare(insert.compile(tx)))
  return new Set(rows.map(({ id }) => id))
}

/** Few enough rows that a statement stays well within its time limit. */
const defaultBatchSize = 5_000

/** Deletes the rows that meet this condition, in batches so that no statement takes long. `key` is the primary key. */
export async function deleteInBatches<Table extends keyof Tables & string>(
  q: Queries,
  table: Table,
  {
    key,
    where,
    most = defaultBatchSize,
  }: { key: (keyof Tables[Table] & string)[]; where: RawBuilder<SqlBool>; most?: number },
): Promise<void> {
  const keys = sql.join(key.map((column) => sql.ref(column)))
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where (${keys}) in (
        select ${keys} from ${sql.table(table)} where ${where} limit ${most})`.execute(q)
    if (numAffectedRows < most) return
  }
}
