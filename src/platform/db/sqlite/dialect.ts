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
import type { Repeated, Together } from '../look-up.ts'
import { looksLikeRead, type StatementTimes } from '../statement-times.ts'
import { DatabaseUnavailable, type FailureWatch } from '../unavailable.ts'
import { attempt, executor, type Outcome, type Statement } from './execute.ts'
import type { Answer, Connect, Order, Settings } from './worker.ts'

type Options = {
  /** Reads committed data; nothing else is done on this thread. */
  reader: DatabaseSync
  writer: ConnectionThread
  failures: FailureWatch
  times: StatementTimes
}

/**
 * Kysely over node:sqlite: a connection that reads here, and a thread that writes. A transaction, reads included, is all the
 * thread's.
 */
export function sqliteDialect({ reader, writer, failures, times }: Options): Dialect {
  const read = executor(reader)
  const turn = turns()
  const transactions = new WeakMap<DatabaseConnection, number>()
  let begun = 0

  /** Runs a statement of its own. The next turn comes once it is sent, since the thread keeps the order. */
  async function write(query: CompiledQuery): Promise<Outcome> {
    await turn.take()
    const outcome = writer.send({ kind: 'run', ...statementOf(query) })
    turn.give()
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

  /** Ends a transaction; it is over for us once that is sent. */
  async function end(connection: DatabaseConnection, kind: 'commit' | 'rollback') {
    const tx = transactions.get(connection)
    // Kysely also rolls back what it failed to commit.
    if (tx === undefined) return
    transactions.delete(connection)
    const began = performance.now()
    const outcome = writer.send({ kind, tx })
    turn.give()
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
          // On the reading connection it would keep all other reads at what was committed when it began.
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
      await turn.take()
      begun += 1
      writer.begin(begun)
      transactions.set(connection, begun)
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

const orderOf = (query: CompiledQuery & Partial<Together>) =>
  query.together
    ? { kind: 'together' as const, statements: query.together.map(statementOf) }
    : { kind: 'run' as const, ...statementOf(query) }

const statementOf = (query: CompiledQuery & Partial<Repeated>): Statement => ({
  sql: query.sql,
  parameters: query.parameters,
  isRepeated: query.isRepeated ?? false,
})

/** The driver serializes writes, so migrations need no lock; one that fails half-way leaves nothing behind. */
const adapter: DialectAdapter = {
  supportsCreateIfNotExists: true,
  supportsMultipleConnections: true,
  supportsTransactionalDdl: true,
  supportsReturning: true,
  async acquireMigrationLock() {},
  async releaseMigrationLock() {},
}

/** No select writes in SQLite. A read that is not recognized as one is merely sent to the thread. */
const isRead = ({ query, sql }: CompiledQuery): boolean => query.kind === 'SelectQueryNode' || looksLikeRead(sql)

/** Gives turns one at a time, in the order in which they are asked for. */
function turns() {
  const waiting: (() => void)[] = []
  let isTaken = false
  return {
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

type WithoutId<Kind> = Kind extends { id: number } ? Omit<Kind, 'id'> : never
type ThreadOptions = Settings & {
  /** How long one waits for an outcome. */
  answer: Milliseconds
  /** Called when another program holds the lock for long. */
  onLocked?: () => void
}

/** Threads without a connection. To start one takes longer than most tests, which open databases by the thousand. */
const spare: Worker[] = []

/** A connection in a thread of its own, which starts with the first order. Orders are carried out in the order in which they are sent. */
export function connectionThread({ answer: patience, onLocked, ...settings }: ThreadOptions) {
  const waiting = new Map<number, { resolve: (outcome: Outcome) => void; reject: (error: unknown) => void }>()
  let orders = 0
  let begins: number | undefined
  /** The last order that was given up, and with it all before it that have no outcome. */
  const givenUp = new BigInt64Array(new SharedArrayBuffer(8))
  let worker: Worker | undefined
  let isClosed = false

  function start(): Worker {
    const thread = spare.pop() ?? startThread()
    thread.postMessage({ ...settings, kind: 'connect', givenUp } satisfies Connect)
    thread.on('message', (answer: Answer) => {
      if (answer === 'locked') return onLocked?.()
      const order = waiting.get(answer.id)
      if ('outcome' in answer) order?.resolve(answer.outcome)
      else order?.reject(Object.assign(new Error(answer.failure.message), answer.failure))
    })
    // Only a mistake of ours ends the thread: nothing can go on without it.
    thread.on('error', (error) => {
      throw error
    })
    return thread
  }

  return {
    /** Begins a transaction with the next order, which must be of it: a message of its own would cost as much as a short statement. */
    begin(tx: number) {
      begins = tx
    },
    /** Resolves once it is carried out. Rejects with SQLite's error, or with DatabaseUnavailable if nothing is known of it in time: if it has begun, it may still be carried out. */
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
      // If the process was paused meanwhile, time is up, but the outcome may be waiting to be read in the next turn.
      const late = setTimeout(() => setImmediate(giveUp), patience)
      waiting.set(id, { resolve, reject })
      worker.ref()
      try {
        worker.postMessage({ ...order, id, ...(begins !== undefined && { begins }) } satisfies Order)
        begins = undefined
        return await promise
      } finally {
        clearTimeout(late)
        waiting.delete(id)
        if (waiting.size === 0) worker.unref()
      }
    },
    hasStarted: () => worker !== undefined,
    /** How many orders have no outcome yet. */
    waiting: () => waiting.size,
    /** Resolves once the file is closed. */
    async close() {
      const closing = worker && this.send({ kind: 'close' })
      isClosed = true
      if (!worker) return
      await closing
      worker.removeAllListeners('message').removeAllListeners('error')
      spare.push(worker)
    },
  }
}

const startThread = () =>
  new Worker(new URL('./worker.ts', import.meta.url), {
    execArgv: [],
    // It keeps hardly anything for longer than one order takes.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  })

type ConnectionThread = ReturnType<typeof connectionThread>
