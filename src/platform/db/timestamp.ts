import type { Instant } from '../../shared/time.ts'

/** An instant in a column of Better Auth: ISO text in SQLite, timestamptz in PostgreSQL. `db.timestamp` creates one. */
export type Timestamp = string | Date

export const instantOf = (at: Timestamp): Instant => new Date(at).getTime()
