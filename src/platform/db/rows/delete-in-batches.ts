import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../open.ts'
import type { Tables } from '../tables.ts'

/** Few enough rows that a statement stays well within its time limit. */
const usual = 5_000

/** Deletes the rows that meet this condition, in batches so that no statement takes long. `key` is the primary key. */
export async function deleteInBatches<Table extends keyof Tables & string>(
  q: Queries,
  table: Table,
  { key, where, most = usual }: { key: (keyof Tables[Table] & string)[]; where: RawBuilder<SqlBool>; most?: number },
): Promise<void> {
  const keys = sql.join(key.map((column) => sql.ref(column)))
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where (${keys}) in (
        select ${keys} from ${sql.table(table)} where ${where} limit ${most})`.execute(q)
    if (numAffectedRows < most) return
  }
}
