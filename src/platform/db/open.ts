import type { Kysely, RawBuilder, SqlBool } from 'kysely'
import type pg from 'pg'
import type { Instant, Milliseconds } from '../../shared/time.ts'
import type { StatementKind } from './statement-times.ts'
import type { Timestamp } from './storable.ts'
import type { Tables } from './tables.ts'
import type { Unavailability } from './unavailable.ts'

export type Column = 'text' | 'bigint'
export type Queries = Kysely<Tables>

/** Makes backups of a database while it is in use. */
type Backups = {
  /** The format of the files, as their extension: an SQLite database, or rows as JSON lines. */
  form: 'db' | 'jsonl'
  /** A private folder for temporary files, if the database is stored in a folder of ours. */
  folder: string | undefined
  /** Writes all rows of one moment, except tables in `without`, to a checked file that appears whole or not at all. */
  make(file: string, without: readonly string[]): Promise<{ rows: number }>
}

export type Db = {
  /** Only for platform/db: other code uses the members below. */
  kind: 'sqlite' | 'postgres'
  /** Whether other instances may use the database too. If not, data stays current until this process changes it. */
  isShared: boolean
  /** Every query goes through here, or through the transaction it opens. */
  q: Queries
  /** Records as a table source `(…) as name`, for one statement per batch. Replaces characters that can't be stored. */
  rows(name: string, columns: Record<string, Column>, records: readonly object[]): RawBuilder<unknown>
  /** Reads committed data and may take long: it blocks neither the event loop nor any other statement. */
  longRead<Row>(query: RawBuilder<Row>): Promise<Row[]>
  /** The condition that a column is one of these texts. The statement's text is the same however many there are. */
  isOneOf(column: string, texts: readonly string[]): RawBuilder<SqlBool>
  /** An instant as a column of Better Auth stores it. */
  timestamp(at: Instant): Timestamp
  /** A boolean as a column of Better Auth stores it. */
  boolean(yes: boolean): boolean | 0 | 1
  /** The database in the form that Better Auth needs, which writes its own statements. */
  forBetterAuth: { db: Queries; type: 'sqlite' | 'postgres' }
  /** The constraint or column that a unique violation names; undefined for any other error. */
  uniqueViolation(error: unknown): string | undefined
  onStatement(listener: (kind: StatementKind, took: Milliseconds) => void): void
  /** How many bytes the data occupies, and how many are free if it is stored on a disk of ours. */
  diskUsage(): Promise<{ used: number; free?: number }>
  /** How many statements wait for a connection or SQLite's writer thread; `connections` only if there is a pool. */
  load(): { waiting: number; connections?: { busy: number; idle: number } }
  backups: Backups
  /** Why a statement failed; undefined again once a check succeeds. */
  failing(): Unavailability | undefined
  /** Runs the callback, and repeats the statement that failed if it was a read. If both succeed, nothing is failing. */
  check(work: () => Promise<unknown>): Promise<void>
  /** A connection outside the pool, for messages between instances; absent if there can be only one instance. */
  newClient?(connectTimeout: Milliseconds): pg.Client
  close(): Promise<void>
}
