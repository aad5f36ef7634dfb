import { createHash } from 'node:crypto'
import type { CompiledQuery } from 'kysely'

/** Has a name by which a connection to PostgreSQL knows it; SQLite's connections know every statement by its text. */
export type Prepared = CompiledQuery & { name: string }

const names = new Map<string, string>()

/**
 * A query whose text never changes and that is asked often: each connection parses it once, and plans it once if that is
 * no worse. Planning takes longer than a look-up by key. The plan outlasts growth of the tables, so it must not depend on
 * their size: what is looked up for each row of a list belongs into a subquery of its own.
 */
export function prepared<Row>(query: CompiledQuery<Row>): CompiledQuery<Row> {
  const name = names.get(query.sql) ?? createHash('sha256').update(query.sql).digest('base64url').slice(0, 22)
  names.set(query.sql, name)
  const named: CompiledQuery<Row> & Prepared = { ...query, name }
  return named
}
