import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from './tables.ts'
import type { Unavailability } from './unavailable.ts'

type Column = 'text' | 'bigint'
export type Queries = Kysely<Tables>
export type Db = {
  kind: 'sqlite' | 'postgres'
  /** Every query goes through here, or through the transaction it opens. */
  q: Queries
  /** Runs a statement in words of this database, outside of any transaction; a connection parses it but once. */
  run<Row extends object>(statement: { name: string; text: string }, values: readonly unknown[]): Promise<Row[]>
  /** A list of records as a table source `(…) as name`, so that one statement handles a whole batch. Text that cannot be stored is mended. */
  rows(name: string, columns: Record<string, Column>, records: readonly object[]): RawBuilder<unknown>
  /** The constraint or column a unique violation names; undefined for any other error. */
  uniqueViolation(error: unknown): string | undefined
  /** Why a statement failed, until a check succeeds. */
  failing(): Unavailability | undefined
  /** Does this work, and what failed once more where that is a read; once both succeed, nothing is failing. */
  check(work: () => Promise<unknown>): Promise<void>
  close(): Promise<void>
}
