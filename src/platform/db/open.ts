import type { Kysely, RawBuilder, SqlBool } from 'kysely'
import type pg from 'pg'
import type { Instant, Milliseconds } from '../../shared/time.ts'
import type { StatementKind } from './statement-times.ts'
import type { Timestamp } from './storable.ts'
import type { Tables } from './tables.ts'
import type { Unavailability } from './unavailable.ts'

export type Column = 'text' | 'bigint'
export type Queries = Kysely<Tables>

/** How backups of a database are made, while everybody goes on with it. */
export type Backups = {
  /** The form of the files, by the end of their names: a database of SQLite, or rows as JSON lines. */
  form: 'db' | 'jsonl'
  /** Where what nobody else may read can lie for a while, if the database lies in a folder of ours. */
  folder: string | undefined
  /** Writes all rows, as of one moment, but those of these tables into a new file, checks it and returns how many they are. It appears whole or not at all. */
  make(file: string, without: readonly string[]): Promise<{ rows: number }>
}

export type Db = {
  /** Only for platform/db: everybody else asks for what they need. */
  kind: 'sqlite' | 'postgres'
  /** Whether other instances may use it too. If not, what was read stays true until we change it. */
  isShared: boolean
  /** Every query goes through here, or through the transaction it opens. */
  q: Queries
  /** A list of records as a table source `(…) as name`, so that one statement handles a whole batch. Replaces text that cannot be stored. */
  rows(name: string, columns: Record<string, Column>, records: readonly object[]): RawBuilder<unknown>
  /** A read of what is committed that may take long: it holds up neither the event loop nor any other statement. */
  longRead<Row>(query: RawBuilder<Row>): Promise<Row[]>
  /** Whether a column is one of these texts. The statement stays the same however many there are. */
  isOneOf(column: string, texts: readonly string[]): RawBuilder<SqlBool>
  /** An instant as a column of Better Auth stores it. */
  timestamp(at: Instant): Timestamp
  /** A boolean as a column of Better Auth stores it. */
  boolean(yes: boolean): boolean | 0 | 1
  /** The database as Better Auth, which writes its own statements, takes it. */
  forBetterAuth: { db: Queries; type: 'sqlite' | 'postgres' }
  /** The constraint or column that a unique violation names; undefined for any other error. */
  uniqueViolation(error: unknown): string | undefined
  /** Sets who is told how long each statement took. */
  onStatement(listener: (kind: StatementKind, took: Milliseconds) => void): void
  /** How much room the data takes in bytes, and how much is free where it lies on a disk of ours. */
  room(): Promise<{ used: number; free?: number }>
  /** How many statements wait for a connection or, on SQLite, for the thread that writes; connections only where there is a pool. */
  load(): { waiting: number; connections?: { busy: number; idle: number } }
  backups: Backups
  /** Why a statement failed; undefined again once a check succeeds. */
  failing(): Unavailability | undefined
  /** Does this work, and repeats what failed if that was a read. Once both succeed, nothing is failing. */
  check(work: () => Promise<unknown>): Promise<void>
  /** A new connection outside the pool, for what instances tell each other; absent if there can be only one instance. */
  newClient?(patience: Milliseconds): pg.Client
  close(): Promise<void>
}
