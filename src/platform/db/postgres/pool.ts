import pg from 'pg'
import { withTimeout } from '../../../shared/async.ts'
import { days, type Milliseconds, seconds } from '../../../shared/time.ts'
import { looksLikeRead, type StatementKind, type StatementTimes } from '../statement-times.ts'
import { DatabaseUnavailable, type FailureWatch } from '../unavailable.ts'
import { classifyError, discard, queryWithTimeout } from './client.ts'

export type Limits = {
  /** For opening a connection, or for one to become free. */
  connect: Milliseconds
  /** For a statement, and for idle time within a transaction; PostgreSQL itself enforces both. */
  statement: Milliseconds
  /** For the response to a statement; a connection without one counts as lost. */
  answer: Milliseconds
  /** For work in progress when the pool is closed. */
  close: Milliseconds
}
export const defaultLimits: Limits = {
  connect: seconds(10),
  statement: seconds(10),
  answer: seconds(12),
  close: seconds(1),
}
/** For work without a time limit: migrations, exports. */
export const unboundedLimits: Limits = { ...defaultLimits, statement: 0, answer: days(20) }

const keepAliveDelay = seconds(10)
/** How long to wait before a server that refused a connection is asked for more. */
const growsAgain = seconds(30)
const tooManyConnections = '53300'
const goodbye = seconds(2)

/** Settings that our values and transactions rely on, whatever an operator set for the server, database or role. */
const sessionSettings = [
  "datestyle = 'ISO, MDY'",
  'intervalstyle = postgres',
  "timezone = 'UTC'",
  'bytea_output = hex',
  'extra_float_digits = 1',
  'standard_conforming_strings = on',
  'transform_null_equals = off',
  "default_transaction_isolation = 'read committed'",
  'default_transaction_deferrable = off',
  'lock_timeout = 0',
]

type Options = {
  size: number
  limits: Limits
  failures: FailureWatch
  times: Pick<StatementTimes, 'ended'>
  onSilence: (error: Error) => void
}

export function postgresPool(connectionString: string, { size, limits, failures, times, onSilence }: Options) {
  const pool = new pg.Pool({
    connectionString,
    // Statements that are sent together don't wait for responses in between.
    pipeline: true,
    max: size,
    connectionTimeoutMillis: limits.connect,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelay,
    onConnect: (client) => prepareConnection(client),
  })
  // A broken connection fails its query or is replaced. Without a listener, the event would end the process.
  pool.on('error', () => {})

  const borrowed = new Set<pg.PoolClient>()
  /** The number of queries so far, and its value when each connection last responded. */
  let queryCount = 0
  const heardAt = new WeakMap<pg.Client, number>()
  /** The newest query without a response. Connections silent since may be dead, and trying each takes as long again. */
  let silentAt = 0

  async function query<Row extends pg.QueryResultRow>(client: pg.Client, config: pg.QueryConfig) {
    queryCount += 1
    const turn = queryCount
    const kind = kindOf(config.text)
    const began = performance.now()
    try {
      return await queryWithTimeout<Row>(client, config, {
        timeout: limits.answer,
        onSilence(error) {
          silentAt = Math.max(silentAt, turn)
          onSilence(error)
        },
      })
    } catch (error) {
      if (config.text !== 'rollback' && !isSelect(config.text)) failures.failed(error)
      throw error
    } finally {
      heardAt.set(client, queryCount)
      if (kind) times.ended(kind, began)
    }
  }

  async function prepareConnection(client: pg.ClientBase) {
    if (!(client instanceof pg.Client)) return
    client.on('error', () => discard(client))
    const { stream } = client.connection
    // The other side of a half-open connection never closes it.
    stream.once('finish', () => setTimeout(() => stream.destroy(), goodbye).unref())
    const span = Math.ceil(limits.statement)
    const timeouts = [`statement_timeout = ${span}`, `idle_in_transaction_session_timeout = ${span}`]
    for (const settings of [timeouts, sessionSettings])
      try {
        await queryWithTimeout(client, { text: `set ${settings.join('; set ')}` }, { timeout: limits.connect })
      } catch (error) {
        // A pooler may not allow this; the limit for responses still applies.
        if (error instanceof DatabaseUnavailable) throw error
      }
    heardAt.set(client, queryCount)
  }

  let growsAt = 0

  /** If the server allows no more connections, the existing ones serve all queries. */
  async function connect(): Promise<pg.PoolClient> {
    for (;;) {
      if (performance.now() >= growsAt) pool.options.max = size
      try {
        return await pool.connect()
      } catch (error) {
        const isRefused = error instanceof pg.DatabaseError && error.code === tooManyConnections
        if (!isRefused || pool.totalCount === 0) {
          const unavailable = classifyError(error, true)
          failures.failed(unavailable)
          throw unavailable
        }
        pool.options.max = Math.max(1, borrowed.size + pool.idleCount)
        growsAt = performance.now() + growsAgain
      }
    }
  }

  return {
    /** Throws DatabaseUnavailable if no connection is available in time. */
    async acquire(): Promise<pg.PoolClient> {
      for (;;) {
        const client = await connect()
        if ((heardAt.get(client) ?? 0) >= silentAt) {
          borrowed.add(client)
          return client
        }
        discard(client)
        client.release(true)
      }
    },
    release(client: pg.PoolClient) {
      borrowed.delete(client)
      client.release(client.connection.stream.destroyed)
    },
    query,
    load: () => ({
      waiting: pool.waitingCount,
      connections: { busy: pool.totalCount - pool.idleCount, idle: pool.idleCount },
    }),
    /** Closes the pool once all connections are returned, or when time is up. Throws if some were still in use. */
    async close() {
      if (!pool.ending) await withTimeout(limits.close, pool.end())
      const busy = pool.totalCount
      for (const client of borrowed) discard(client)
      if (busy > 0) throw new Error(`Connections to PostgreSQL still in use: ${busy}.`)
    },
  }
}

const isSelect = (text: string): boolean => /^\s*select\b/i.test(text)

/** The kind of a statement; undefined if it begins or rolls back a transaction. */
function kindOf(text: string): StatementKind | undefined {
  if (text === 'commit') return 'commit'
  if (text === 'rollback' || text.startsWith('begin')) return undefined
  return looksLikeRead(text) ? 'read' : 'write'
}

const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
export const isChange = (command: string): boolean => changes.has(command)
export type PostgresPool = ReturnType<typeof postgresPool>
