import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import {
  type CompiledQuery,
  createQueryId,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  IdentifierNode,
  type QueryResult,
  RawNode,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Milliseconds } from '../../../shared/time.ts'
import { DatabaseUnavailable, type FailureWatch } from '../unavailable.ts'
import { unavailabilityOf } from './error.ts'
import { foreignLock } from './foreign-lock.ts'

const keptStatements = 500

type Options = {
  /** Reads committed data while a write waits or a transaction is open. Without it, reads wait for their turn. */
  reader: DatabaseSync | undefined
  failures: FailureWatch
  /** How long a write waits for a lock that another program holds. */
  patience: Milliseconds
}

/** Kysely over node:sqlite: one connection that writes one at a time, and statements that are prepared once per text. */
export function sqliteDialect(database: DatabaseSync, { reader, failures, patience }: Options): Dialect {
  const execute = executor(database)
  const executeBeside = reader && executor(reader)
  const turn = turns()
  const inTransaction = new WeakSet<DatabaseConnection>()
  const lock = foreignLock({ patience, onLong: () => failures.failed(new DatabaseUnavailable('locked')) })

  /** Runs what starts a write, again and again while another program holds the lock. */
  async function write<T>(attempt: () => T, query?: CompiledQuery): Promise<T> {
    for (;;) {
      try {
        const answer = attempt()
        lock.released()
        return answer
      } catch (error) {
        if (unavailabilityOf(error) === 'locked' && (await lock.waitFor())) continue
        throw failed(error, query)
      }
    }
  }

  function failed(error: unknown, query?: CompiledQuery): unknown {
    const why = unavailabilityOf(error)
    if (!why) return error
    const unavailable = new DatabaseUnavailable(why, error)
    failures.failed(unavailable, query && isRead(query) ? () => connect().executeQuery(query) : undefined)
    return unavailable
  }

  function orUnavailable<T>(work: () => T, query?: CompiledQuery): T {
    try {
      return work()
    } catch (error) {
      throw failed(error, query)
    }
  }

  async function inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    await turn.take()
    try {
      return await work()
    } finally {
      turn.give()
    }
  }

  function connect(): DatabaseConnection {
    const connection: DatabaseConnection = {
      async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
        if (inTransaction.has(connection)) return orUnavailable(() => execute<R>(query), query)
        if (isRead(query)) {
          if (executeBeside && turn.isTaken()) return orUnavailable(() => executeBeside<R>(query), query)
          if (!turn.isTaken()) return orUnavailable(() => execute<R>(query), query)
        }
        return inTurn(() => write(() => execute<R>(query), query))
      },
      async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
        const isOurs = inTransaction.has(connection)
        if (!isOurs) await turn.take()
        try {
          // Not from the cache: a statement that is being read must not be started again.
          for (const row of database.prepare(sql).iterate(...(parameters as SQLInputValue[])))
            yield { rows: [row as R] }
        } finally {
          if (!isOurs) turn.give()
        }
      },
    }
    return connection
  }

  const driver: Driver = {
    async init() {},
    acquireConnection: async () => connect(),
    async releaseConnection() {},
    async beginTransaction(connection) {
      await turn.take()
      try {
        await write(() => database.exec('begin immediate'))
        inTransaction.add(connection)
      } catch (error) {
        turn.give()
        throw error
      }
    },
    async commitTransaction(connection) {
      await orUnavailable(() => database.exec('commit'))
      inTransaction.delete(connection)
      turn.give()
    },
    async rollbackTransaction(connection) {
      try {
        // A full disk has already ended it; a second rollback would fail and hide the reason.
        if (database.isTransaction) database.exec('rollback')
      } finally {
        inTransaction.delete(connection)
        turn.give()
      }
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
      reader?.close()
      // The last connection to close checkpoints the write-ahead log.
      database.close()
    },
  }
  return {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** The driver serializes writes, so migrations need no lock; one that fails half-way leaves nothing behind. */
const adapter: DialectAdapter = {
  supportsCreateIfNotExists: true,
  supportsMultipleConnections: true,
  supportsTransactionalDdl: true,
  supportsReturning: true,
  async acquireMigrationLock() {},
  async releaseMigrationLock() {},
}

/** No select writes in SQLite. A read that is not recognized as one merely waits for its turn. */
const isRead = ({ query, sql }: CompiledQuery): boolean => query.kind === 'SelectQueryNode' || looksLikeRead.test(sql)
const looksLikeRead = /^\s*(?:select\b|with\b(?!.*?\b(?:insert|update|delete|replace)\b))/is

/** Gives turns one at a time, in the order in which they are asked for. */
function turns() {
  const waiting: (() => void)[] = []
  let isTaken = false
  return {
    isTaken: () => isTaken,
    async take(): Promise<void> {
      if (isTaken) await new Promise<void>((resolve) => waiting.push(resolve))
      isTaken = true
    },
    give() {
      const next = waiting.shift()
      if (next) next()
      else isTaken = false
    },
  }
}

const savepoint = (verb: string, name: string) =>
  RawNode.createWithChildren([RawNode.createWithSql(`${verb} `), IdentifierNode.create(name)])

/** Whether a statement returns rows is found out once, as that takes as long as a short query. */
type Statement = { prepared: StatementSync; hasRows: boolean }

function executor(database: DatabaseSync) {
  const statement = statements(database)
  return <R>({ sql, parameters }: CompiledQuery): QueryResult<R> => {
    const { prepared, hasRows } = statement(sql)
    const values = parameters as SQLInputValue[]
    if (hasRows) return { rows: prepared.all(...values) as R[] }
    const { changes, lastInsertRowid } = prepared.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }
}

function statements(database: DatabaseSync) {
  const kept = new LRUCache<string, Statement>({ max: keptStatements })
  return (text: string): Statement => {
    const known = kept.get(text)
    if (known) return known
    const prepared = database.prepare(text)
    const statement = { prepared, hasRows: prepared.columns().length > 0 }
    kept.set(text, statement)
    return statement
  }
}
