import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  createQueryId,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  IdentifierNode,
  type QueryResult,
  RawNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

const keptStatements = 500

/** Kysely over node:sqlite: one connection that a transaction holds until it ends, statements prepared once per text. */
export function sqliteDialect(database: DatabaseSync): Dialect {
  const statement = statements(database)
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const { prepared, hasRows } = statement(sql)
      const values = parameters as SQLInputValue[]
      if (hasRows) return { rows: prepared.all(...values) as R[] }
      const { changes, lastInsertRowid } = prepared.run(...values)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    },
    async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      // Not from the cache: a statement that is being read must not be started again.
      for (const row of database.prepare(sql).iterate(...(parameters as SQLInputValue[]))) yield { rows: [row as R] }
    },
  }
  const driver: Driver = {
    async init() {},
    // Kysely lends the one connection to one caller at a time, in the order they ask.
    acquireConnection: async () => connection,
    async releaseConnection() {},
    async beginTransaction() {
      database.exec('begin immediate')
    },
    async commitTransaction() {
      database.exec('commit')
    },
    async rollbackTransaction() {
      // A full disk has already ended it; a second end would fail and hide why.
      if (database.isTransaction) database.exec('rollback')
    },
    async savepoint(on, name, compile) {
      await on.executeQuery(compile(savepoint('savepoint', name), createQueryId()))
    },
    async rollbackToSavepoint(on, name, compile) {
      await on.executeQuery(compile(savepoint('rollback to', name), createQueryId()))
    },
    async releaseSavepoint(on, name, compile) {
      await on.executeQuery(compile(savepoint('release', name), createQueryId()))
    },
    async destroy() {
      database.close()
    },
  }
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

const savepoint = (verb: string, name: string) =>
  RawNode.createWithChildren([RawNode.createWithSql(`${verb} `), IdentifierNode.create(name)])

/** Whether a statement has rows is asked once: the answer takes as long as a short query. */
type Statement = { prepared: StatementSync; hasRows: boolean }

function statements(database: DatabaseSync) {
  const kept = new Map<string, Statement>()
  return (text: string): Statement => {
    const known = kept.get(text)
    if (known) return known
    const prepared = database.prepare(text)
    const statement = { prepared, hasRows: prepared.columns().length > 0 }
    if (kept.size >= keptStatements) kept.delete(kept.keys().next().value!)
    kept.set(text, statement)
    return statement
  }
}
