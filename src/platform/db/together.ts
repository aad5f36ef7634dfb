import { CompiledQuery, type RawBuilder } from 'kysely'
import type { Queries } from './open.ts'

export type Together = { together: readonly CompiledQuery[] }

type Statement<Row> = RawBuilder<Row> | CompiledQuery<Row>

/**
 * Runs statements of a transaction one after the other, none after one that failed; answers the rows of each. All are one
 * message to the database, as a message takes longer than a short statement.
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
