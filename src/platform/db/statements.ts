import { createHash } from 'node:crypto'
import { CompiledQuery, type RawBuilder } from 'kysely'
import type { Queries } from './open.ts'

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

export type Together = { together: readonly CompiledQuery[] }

type Statement<Row> = RawBuilder<Row> | CompiledQuery<Row>

/**
 * Runs statements of a transaction one after the other, none of which needs the answer of another; answers the rows of
 * each. SQLite's thread gets them as one message, and PostgreSQL each without waiting for the answer before, as the way
 * there and back takes longer than a short statement.
 */
export async function together<const Rows extends readonly unknown[]>(
  tx: Queries,
  statements: { [Index in keyof Rows]: Statement<Rows[Index]> },
): Promise<{ -readonly [Index in keyof Rows]: Rows[Index][] }> {
  const compiled = (statements as readonly Statement<unknown>[]).map((one) =>
    'compile' in one ? one.compile(tx) : one,
  )
  const query: CompiledQuery & Together = { ...CompiledQuery.raw('several statements'), together: compiled }
  const { rows } = await tx.executeQuery(query)
  return rows as never
}

export type Repeated = { isRepeated: true }
/** The number of the row that a run of a repeated statement added; 0 if it changed none. */
export type Added = number | bigint

/**
 * A statement that SQLite runs with one list of values after the other; it answers what each added. All are one message
 * to the thread that writes, as a message takes longer than a short statement.
 */
export const repeated = (text: string, lists: readonly (readonly unknown[])[]): CompiledQuery<Added> & Repeated => ({
  ...CompiledQuery.raw(text, [...lists]),
  isRepeated: true,
})
