import type { DatabaseSync, SQLInputValue, StatementResultingChanges, StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'

const keptStatements = 500

/** A statement and what it is run with: a list of values or, if it is repeated, one list after the other. */
export type Statement = { sql: string; parameters: readonly unknown[]; isRepeated?: boolean }
/** What a statement returned, or how much it changed. */
export type Outcome = { rows: unknown[]; changes?: number | bigint; lastInsertRowid?: number | bigint }

/** Whether a statement returns rows is found out once, as that takes as long as a short query. */
type Prepared = { statement: StatementSync; hasRows: boolean }

/** Runs statements on this connection, each prepared once per text. */
export function executor(database: DatabaseSync) {
  const kept = new LRUCache<string, Prepared>({ max: keptStatements })

  function prepare(text: string): Prepared {
    const known = kept.get(text)
    if (known) return known
    const statement = database.prepare(text)
    const prepared = { statement, hasRows: statement.columns().length > 0 }
    kept.set(text, prepared)
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
