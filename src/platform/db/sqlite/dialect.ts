import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type QueryResult,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Milliseconds } from '../../../shared/time.ts'
import type { Pipeline, Repeated } from '../look-up.ts'
import { looksLikeRead, type StatementTimes } from '../statement-times.ts'
import { DatabaseUnavailable, type FailureWatch } from '../unavailable.ts'
import { attempt, executor, type Outcome, type Statement } from './execute.ts'
import type { Answer, Connect, Order, Settings } from './worker.ts'

type Options = {
  /** Reads committed data: the only database work on this thread. */
  reader: DatabaseSync
  writer: SqliteWorker
  failures: FailureWatch
  times: StatementTimes
}

/** Kysely over node:sqlite: this thread reads, another one writes and runs whole transactions with their reads. */
export function sqliteDialect({ reader, writer, failures, times }: Options): Dialect {
  const read = executor(reader)
  const writeLock = mutex()
  const transactions = new WeakMap<DatabaseConnection, number>()
  let transactionCount = 0

  /** Runs a write outside a transaction. Its turn ends once it is sent, because the thread keeps the order. */
  async function write(query: CompiledQuery): Promise<Outcome> {
    await writeLock.acquire()
    const outcome = writer.send({ kind: 'run', ...statementOf(query) })
    writeLock.release()
    return outcome
  }

  async function run(query: CompiledQuery, connection?: DatabaseConnection): Promise<Outcome> {
    const tx = connection && transactions.get(connection)
    const onlyReads = isRead(query)
    const began = performance.now()
    try {
      if (tx !== undefined) return await attempt(failures, () => writer.send({ tx, ...orderOf(query) }))
      if (!onlyReads) return await attempt(failures, () => write(query))
      return await attempt(
        failures,
        () => read(query),
        () => run(query, connection),
      )
    } finally {
      times.ended(onlyReads ? 'read' : 'write', began)
    }
  }

  /** Ends a transaction. Its turn ends once that is sent. */
  async function end(connection: DatabaseConnection, kind: 'commit' | 'rollback') {
    const tx = transactions.get(connection)
    // Kysely also rolls back a transaction that it failed to commit.
    if (tx === undefined) return
    transactions.delete(connection)
    const began = performance.now()
    const outcome = writer.send({ kind, tx })
    writeLock.release()
    await attempt(failures, () => outcome)
    if (kind === 'commit') times.ended(kind, began)
  }

  const driver: Driver = {
    async init() {},
    async acquireConnection() {
      const connection: DatabaseConnection = {
        async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
          const { rows, changes, lastInsertRowid } = await run(query, connection)
          if (changes === undefined) return { rows: rows as R[] }
          return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid ?? 0) }
        },
        async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
          const tx = transactions.get(connection)
          // On the reading connection, a stream would pin all other reads to the state in which it began.
          if (tx === undefined) throw new Error('Only a transaction can be streamed from.')
          await attempt(failures, () => writer.send({ kind: 'open', tx, ...statementOf(query) }))
          for (;;) {
            const { rows } = await attempt(failures, () => writer.send({ kind: 'next', tx }))
            if (rows.length === 0) return
            yield { rows: rows as R[] }
          }
        },
      }
      return connection
    },
    async releaseConnection() {},
    async beginTransaction(connection) {
      await writeLock.acquire()
      transactionCount += 1
      writer.begin(transactionCount)
      transactions.set(connection, transactionCount)
    },
    commitTransaction: (connection) => end(connection, 'commit'),
    rollbackTransaction: (connection) => end(connection, 'rollback'),
    async destroy() {
      reader.close()
      await writer.close()
    },
  }
  return {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

const orderOf = (query: CompiledQuery & Partial<Pipeline>) =>
  query.statements
    ? { kind: 'together' as const, statements: query.statements.map(statementOf) }
    : { kind: 'run' as const, ...statementOf(query) }

const statementOf = (query: CompiledQuery & Partial<Repeated>): Statement => ({
  sql: query.sql,
  parameters: query.parameters,
  isRepeated: query.isRepeated ?? false,
})

/** The driver serializes writes, so migrations need no lock; a failed one is rolled back. */
const adapter: DialectAdapter = {
  supportsCreateIfNotExists: true,
  supportsMultipleConnections: true,
  supportsTransactionalDdl: true,
  supportsReturning: true,
  async acquireMigrationLock() {},
  async releaseMigrationLock() {},
}

/** In SQLite, a select never writes. A read that isn't recognized as one runs on the writer thread. */
const isRead = ({ query, sql }: CompiledQuery): boolean => query.kind === 'SelectQueryNode' || looksLikeRead(sql)

/** Gives turns one at a time, in the order of the calls. */
function mutex() {
  const waiters: (() => void)[] = []
  let isTaken = false
  return {
    async acquire(): Promise<void> {
      if (isTaken) await new Promise<void>((resolve) => waiters.push(resolve))
      isTaken = true
    },
    release() {
      const next = waiters.shift()
      if (next) next()
      else isTaken = false
    },
  }
}

type WithoutId<Kind> = Kind extends { id: number } ? Omit<Kind, 'id'> : never
type ThreadOptions = Settings & {
  /** How long to wait for an outcome. */
  answer: Milliseconds
  /** Called when another program has held the lock for long. */
  onLocked?: () => void
}

/** Threads for reuse: starting one takes longer than most tests, which open thousands of databases. */
const idleWorkers: Worker[] = []

/** A connection in its own thread, which starts with the first order and executes orders in the order sent. */
export function sqliteWorker({ answer: answerTimeout, onLocked, ...settings }: ThreadOptions) {
  const pendingOrders = new Map<number, { resolve: (outcome: Outcome) => void; reject: (error: unknown) => void }>()
  let orders = 0
  let begins: number | undefined
  /** The last order that was abandoned; all earlier ones without an outcome are abandoned with it. */
  const givenUp = new BigInt64Array(new SharedArrayBuffer(8))
  let worker: Worker | undefined
  let isClosed = false

  function start(): Worker {
    const thread = idleWorkers.pop() ?? startThread()
    thread.postMessage({ ...settings, kind: 'connect', givenUp } satisfies Connect)
    thread.on('message', (answer: Answer) => {
      if (answer === 'locked') return onLocked?.()
      const order = pendingOrders.get(answer.id)
      if ('outcome' in answer) order?.resolve(answer.outcome)
      else order?.reject(Object.assign(new Error(answer.failure.message), answer.failure))
    })
    // Only a bug ends the thread, and nothing can continue without it.
    thread.on('error', (error) => {
      throw error
    })
    return thread
  }

  return {
    /** Begins a transaction with the next order, which must belong to it: a message costs like a short statement. */
    begin(tx: number) {
      begins = tx
    },
    /** Rejects with SQLite's error, or with DatabaseUnavailable after `answer`; a started order may still succeed. */
    async send(order: WithoutId<Order>): Promise<Outcome> {
      if (isClosed) throw new DatabaseUnavailable('unreachable', new Error('The database is closed.'))
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
      worker ??= start()
      orders += 1
      const id = orders
      const giveUp = () => {
        Atomics.store(givenUp, 0, BigInt(id))
        reject(new DatabaseUnavailable('unreachable'))
      }
      // After a pause of the process the time is up, but the outcome may be ready to be read in the next turn.
      const late = setTimeout(() => setImmediate(giveUp), answerTimeout)
      pendingOrders.set(id, { resolve, reject })
      worker.ref()
      try {
        worker.postMessage({ ...order, id, ...(begins !== undefined && { begins }) } satisfies Order)
        begins = undefined
        return await promise
      } finally {
        clearTimeout(late)
        pendingOrders.delete(id)
        if (pendingOrders.size === 0) worker.unref()
      }
    },
    hasStarted: () => worker !== undefined,
    waiting: () => pendingOrders.size,
    /** Resolves once the file is closed. */
    async close() {
      const closing = worker && this.send({ kind: 'close' })
      isClosed = true
      if (!worker) return
      await closing
      worker.removeAllListeners('message').removeAllListeners('error')
      idleWorkers.push(worker)
    },
  }
}

const startThread = () =>
  new Worker(new URL('./worker.ts', import.meta.url), {
    execArgv: [],
    // The thread keeps hardly anything for longer than one order takes.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  })

type SqliteWorker = ReturnType<typeof sqliteWorker>
