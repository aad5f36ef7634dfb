import type { Kysely, RawBuilder, SqlBool } from 'kysely'
import type { Instant } from '../../shared/time.ts'
import type { Tables } from './tables.ts'
import type { Timestamp } from './timestamp.ts'
import type { Unavailability } from './unavailable.ts'

export type Column = 'text' | 'bigint'
export type Queries = Kysely<Tables>
export type Db = {
  /** For platform/db alone: everybody else asks for what they need. */
  kind: 'sqlite' | 'postgres'
  /** Whether other instances use it too. What was read from one that is not shared stays true until we change it. */
  isShared: boolean
  /** Every query goes through here, or through the transaction it opens. */
  q: Queries
  /** Runs a statement in words of this database, outside of any transaction; a connection parses it but once. */
  run<Row extends object>(statement: { name: string; text: string }, values: readonly unknown[]): Promise<Row[]>
  /** A list of records as a table source `(…) as name`, so that one statement handles a whole batch. Text that cannot be stored is mended. */
  rows(name: string, columns: Record<string, Column>, records: readonly object[]): RawBuilder<unknown>
  /** Whether a column is one of these texts; the statement stays the same however many there are. */
  isOneOf(column: string, texts: readonly string[]): RawBuilder<SqlBool>
  /** An instant as a column of this type keeps it. */
  timestamp(at: Instant): Timestamp
  /** A yes or no as a column of Better Auth's keeps it. */
  boolean(yes: boolean): boolean | 0 | 1
  /** The database as Better Auth, which writes statements of its own, wants it. */
  forBetterAuth: { db: Queries; type: 'sqlite' | 'postgres' }
  /** The constraint or column a unique violation names; undefined for any other error. */
  uniqueViolation(error: unknown): string | undefined
  /** Why a statement failed, until a check succeeds. */
  failing(): Unavailability | undefined
  /** Does this work, and what failed once more where that is a read; once both succeed, nothing is failing. */
  check(work: () => Promise<unknown>): Promise<void>
  close(): Promise<void>
}
