import type { SelectQueryBuilder } from 'kysely'
import type { Db } from './open.ts'

/** Keeps others from the rows of this query until the transaction ends. SQLite has one transaction at a time: there they are kept already. */
export const lockRows = <Tables, Table extends keyof Tables, Row>(
  { kind }: Pick<Db, 'kind'>,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> => (kind === 'postgres' ? query.forUpdate() : query)
