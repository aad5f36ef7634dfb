import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { parentPort } from 'node:worker_threads'
import type { Milliseconds } from '../../../shared/time.ts'
import { executor, type Outcome, type Statement, unavailabilityOf } from './execute.ts'

// Runs in a connection's thread. It executes orders in the order of arrival, so that no other thread waits for the disk
// or for another program's lock. After its connection is closed, the thread may serve another one.

/** `tx` is the number of a transaction. Its first order `begins` it; if that fails, so do all its orders. */
export type Order = { id: number; begins?: number } & (
  | ({ kind: 'run'; tx?: number | undefined } & Statement)
  | { kind: 'together'; tx: number; statements: readonly Statement[] }
  | ({ kind: 'open'; tx: number } & Statement)
  | { kind: 'next' | 'commit' | 'rollback'; tx: number }
  | { kind: 'close' }
)

/** `failure` is no Error, which would lose its codes when sent. `locked`: a program has held the lock for long. */
export type Answer =
  | { id: number; outcome: Outcome }
  | { id: number; failure: { message: string; code?: unknown; errcode?: unknown } }
  | 'locked'

export type Settings = {
  file: string
  readOnly: boolean
  /** How long a write waits for a lock that another program holds. */
  lockTimeout: Milliseconds
}

/** Sent before all orders. `givenUp` is shared memory: orders up to this id are no longer awaited. */
export type Connect = Settings & { kind: 'connect'; givenUp: BigInt64Array }

/** A lock that is held for longer isn't an ordinary write of another program. */
const ordinary: Milliseconds = 1_000
/** How many rows of a stream are sent in one message. */
const rowsAtOnce = 500

const port = parentPort!
let settings: Connect
let connection: ReturnType<typeof connect> | undefined
let current: { tx: number; failed?: unknown; rows?: Iterator<unknown> } | undefined

function connect() {
  const { file, readOnly, lockTimeout } = settings
  const database = new DatabaseSync(file, { readOnly, enableForeignKeyConstraints: true, timeout: lockTimeout })
  database.exec('pragma synchronous = full; pragma temp_store = memory')
  // Indexes on random keys touch many pages at every write: cache 16 MB of them, and checkpoint every 16 MB.
  database.exec('pragma cache_size = -16000; pragma wal_autocheckpoint = 4000')
  return { database, execute: executor(database), waitForLock: lockWaiter(database, lockTimeout) }
}

/**
 * Runs the start of a write, and repeats it if another program holds the lock: first for as long as an ordinary write
 * may take, then for the rest of `lockTimeout`. If that fails, later writes don't wait until the lock is released.
 */
function lockWaiter(database: DatabaseSync, lockTimeout: Milliseconds) {
  const timeouts = [Math.min(ordinary, lockTimeout), Math.max(lockTimeout - ordinary, 0), 0]
  let step = 0
  const goTo = (next: number) => {
    if (next !== step) database.exec(`pragma busy_timeout = ${timeouts[next]}`)
    step = next
  }
  database.exec(`pragma busy_timeout = ${timeouts[0]}`)

  return <T>(attempt: () => T): T => {
    for (;;) {
      try {
        const outcome = attempt()
        goTo(0)
        return outcome
      } catch (error) {
        if (unavailabilityOf(error) !== 'locked') throw error
        port.postMessage('locked' satisfies Answer)
        const isHopeless = step > 0
        goTo(Math.min(step + 1, 2))
        if (isHopeless) throw error
      }
    }
  }
}

/** Begins a transaction and ends the previous one, whose sender may have given up. */
function begin(tx: number) {
  let failed: unknown
  try {
    connection ??= connect()
    const { database, waitForLock } = connection
    end(database)
    waitForLock(() => database.exec('begin immediate'))
  } catch (error) {
    failed = error
  }
  current = { tx, failed }
}

/** Returns the open transaction. Throws if it failed to begin or has ended, for example because the disk is full. */
function transaction(tx: number, { isTransaction }: DatabaseSync) {
  if (current?.tx === tx && current.failed) throw current.failed
  if (current?.tx !== tx || !isTransaction) throw new Error('This transaction has ended.')
  return current
}

/** Throws if the sender already counts this order as failed. */
function requireAwaited({ id }: Order) {
  if (id <= Atomics.load(settings.givenUp, 0)) throw new Error('This was given up.')
}

/** Rolls back, unless a full disk has ended the transaction: a second rollback would fail and hide the reason. */
function end(database: DatabaseSync) {
  // A stream that was stopped early would keep seeing its old snapshot, on top of which nothing can be written.
  current?.rows?.return?.()
  current = undefined
  if (database.isTransaction) database.exec('rollback')
}

function executeOrder(order: Order): Outcome {
  connection ??= connect()
  const { database, execute, waitForLock } = connection
  switch (order.kind) {
    case 'run':
      requireAwaited(order)
      if (order.tx === undefined) return waitForLock(() => execute(order))
      transaction(order.tx, database)
      return execute(order)
    case 'together':
      requireAwaited(order)
      transaction(order.tx, database)
      return { rows: order.statements.map((statement) => execute(statement).rows) }
    case 'open':
      // Not a cached statement: one that is being read must not be restarted.
      transaction(order.tx, database).rows = database
        .prepare(order.sql)
        .iterate(...(order.parameters as SQLInputValue[]))
      return { rows: [] }
    case 'next':
      return { rows: nextRows(transaction(order.tx, database).rows) }
    case 'commit':
      try {
        requireAwaited(order)
        transaction(order.tx, database)
        database.exec('commit')
      } finally {
        end(database)
      }
      return { rows: [] }
    case 'rollback':
      if (current?.tx === order.tx) end(database)
      return { rows: [] }
    case 'close':
      try {
        end(database)
      } finally {
        connection = undefined
        database.close()
      }
      return { rows: [] }
  }
}

function nextRows(rows: Iterator<unknown> | undefined): unknown[] {
  const batch: unknown[] = []
  while (rows && batch.length < rowsAtOnce) {
    const { done, value } = rows.next()
    if (done) break
    batch.push(value)
  }
  return batch
}

function answer(order: Order): Answer {
  const { id } = order
  try {
    return { id, outcome: executeOrder(order) }
  } catch (error) {
    const { message, code, errcode } = Object(error)
    return { id, failure: { message, code, errcode } }
  }
}

port.on('message', (order: Connect | Order) => {
  if (order.kind === 'connect') {
    settings = order
    return
  }
  if (order.begins !== undefined) begin(order.begins)
  port.postMessage(answer(order))
})
