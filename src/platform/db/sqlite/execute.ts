import type { DatabaseSync, SQLInputValue, StatementResultingChanges, StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import { DatabaseUnavailable, type FailureWatch, type Unavailability } from '../unavailable.ts'

const keptStatements = 500

/** A statement and its values: one list or, if it is repeated, one list per run. */
export type Statement = { sql: string; parameters: readonly unknown[]; isRepeated?: boolean }
/** The rows that a statement returned, or how many it changed. */
export type Outcome = { rows: unknown[]; changes?: number | bigint; lastInsertRowid?: number | bigint }

/** `hasRows` is determined once, because that takes as long as a short query. */
type Prepared = { statement: StatementSync; hasRows: boolean }

/** Returns a function that runs statements on this connection and prepares each text once. */
export function executor(database: DatabaseSync) {
  const statementCache = new LRUCache<string, Prepared>({ max: keptStatements })

  function prepare(text: string): Prepared {
    const cached = statementCache.get(text)
    if (cached) return cached
    const statement = database.prepare(text)
    const prepared = { statement, hasRows: statement.columns().length > 0 }
    statementCache.set(text, prepared)
    return prepared
  }

  return ({ sql, parameters, isRepeated }: Statement): Outcome => {
    const { statement, hasRows } = prepare(sql)
    if (isRepeated)
      return { rows: (parameters as SQLInputValue[][]).map((values) => addedBy(statement.run(...values))) }
    const values = parameters as SQLInputValue[]
    return hasRows ? { rows: statement.all(...values) } : { rows: [], ...statement.run(...values) }
  }
}

const addedBy = ({ changes, lastInsertRowid }: StatementResultingChanges) => (changes ? lastInsertRowid : 0)

const byCode: Record<number, Unavailability> = {
  5: 'locked', // busy
  8: 'disk', // read-only
  10: 'disk', // I/O error
  11: 'damaged', // corrupt
  13: 'full',
  14: 'disk', // cannot open
  26: 'damaged', // not a database
}
/** SQLITE_IOERR_SHMSIZE: the file's shared memory could not grow. */
const noRoomForIndex = 4874

/** What SQLite's error means for the database as a whole; undefined for an error of the statement. */
export function unavailabilityOf(error: unknown): Unavailability | undefined {
  const { code, errcode } = Object(error)
  if (code !== 'ERR_SQLITE_ERROR') return undefined
  return errcode === noRoomForIndex ? 'full' : byCode[errcode & 0xff]
}

/** Runs work, and throws DatabaseUnavailable in place of SQLite's error. `retry` repeats the work without harm. */
export async function attempt<T>(
  failures: FailureWatch,
  work: () => T | Promise<T>,
  retry?: () => Promise<unknown>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const why = error instanceof DatabaseUnavailable ? error.why : unavailabilityOf(error)
    if (!why) throw error
    const unavailable = error instanceof DatabaseUnavailable ? error : new DatabaseUnavailable(why, error)
    failures.failed(unavailable, retry)
    throw unavailable
  }
}
