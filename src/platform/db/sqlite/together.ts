import { CompiledQuery } from 'kysely'

export type Together = { together: readonly CompiledQuery[] }

/**
 * Statements of a transaction that SQLite runs one after the other; it answers the rows of the last. All are one message to
 * the thread that writes, as a message takes longer than a short statement.
 */
export const together = <Row>(statements: readonly CompiledQuery[]): CompiledQuery<Row> & Together => ({
  ...CompiledQuery.raw('several statements'),
  together: statements,
})
