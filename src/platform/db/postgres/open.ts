import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import pg from 'pg'
import type { Db } from '../open.ts'
import { backUpRows } from '../rows/rows-file.ts'
import { statementTimes } from '../statement-times.ts'
import type { Prepared, Together } from '../statements.ts'
import { storableJson } from '../storable.ts'
import type { Tables } from '../tables.ts'
import { DatabaseUnavailable, failureWatch } from '../unavailable.ts'
import { isChange, type Limits, type PostgresPool, postgresPool, usualLimits } from './pool.ts'

// Instants and counters fit a double, so bigint columns come back as numbers, as from SQLite.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

export type PostgresOptions = {
  size?: number
  limits?: Limits
  /** Leads to the same database without the pooler behind `url`, which gives each transaction another session: then statements have no names. */
  directUrl?: string | undefined
  /** Called with each connection that is lost because no answer came in time. */
  onSilence?: (error: Error) => void
}

/** PostgreSQL at a postgres:// URL; any number of instances may share it. Every call ends, and throws DatabaseUnavailable if the server is to blame. */
export function openPostgres(
  url: string,
  { size = 10, limits = usualLimits, directUrl, onSilence = () => {} }: PostgresOptions = {},
): Db {
  const failures = failureWatch()
  const times = statementTimes()
  const pool = postgresPool(url, { size, limits, failures, times, onSilence })
  const q = new Kysely<Tables>({ dialect: postgresDialect(pool, directUrl === undefined) })
  const db: Db = {
    kind: 'postgres',
    isShared: true,
    q,
    rows(name, columns, records) {
      const typed = Object.entries(columns).map(([key, type]) => sql`${sql.ref(key)} ${sql.raw(type)}`)
      return sql`jsonb_to_recordset(${storableJson(records)}::jsonb) as ${sql.ref(name)}(${sql.join(typed)})`
    },
    longRead: async (query) => (await query.execute(q)).rows,
    isOneOf: (column, texts) => sql`${sql.ref(column)} = any(${texts})`,
    timestamp: (at) => new Date(at),
    boolean: (yes) => yes,
    forBetterAuth: { db: q, type: 'postgres' },
    uniqueViolation: (error) =>
      error instanceof pg.DatabaseError && error.code === '23505' ? (error.constraint ?? 'unknown') : undefined,
    onStatement: times.onStatement,
    async room() {
      const size = sql<{ used: number }>`select pg_database_size(current_database()) as used`
      return { used: (await size.execute(q)).rows[0]!.used }
    },
    load: pool.load,
    backups: {
      form: 'jsonl',
      folder: undefined,
      make: (to, without) => backUpRows(db, to, without),
    },
    failing: failures.failing,
    check: failures.check,
    newClient: (patience) =>
      new pg.Client({ connectionString: directUrl ?? url, keepAlive: true, connectionTimeoutMillis: patience }),
    async close() {
      await q.destroy()
      await pool.close()
    },
  }
  return db
}

/** Without Kysely's advisory lock for migrations, which any client could take: a migration locks a row instead. */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}

/** Kysely over our own pool, since its PostgresDialect can't handle connections that never answer. */
function postgresDialect(pool: PostgresPool, keepsSessions: boolean): Dialect {
  const lent = new WeakMap<DatabaseConnection, Lent>()
  const driver: Driver = {
    async init() {},
    async acquireConnection() {
      const own: Lent = { client: await pool.borrow(), begins: undefined }
      const connection = connectionOf(pool, own, keepsSessions)
      lent.set(connection, own)
      return connection
    },
    async beginTransaction(connection, { isolationLevel }) {
      lent.get(connection)!.begins = isolationLevel ? `begin isolation level ${isolationLevel}` : 'begin'
    },
    async commitTransaction(connection) {
      if (lent.get(connection)!.begins) return
      await connection.executeQuery(CompiledQuery.raw('commit'))
    },
    async rollbackTransaction(connection) {
      if (lent.get(connection)!.begins) return
      try {
        await connection.executeQuery(CompiledQuery.raw('rollback'))
      } catch (error) {
        // The transaction ended with its connection, and the reason is known already.
        if (!(error instanceof DatabaseUnavailable)) throw error
      }
    },
    async releaseConnection(connection) {
      pool.giveBack(lent.get(connection)!.client)
    },
    async destroy() {},
  }
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => driver,
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** `begins` is how a transaction begins that has no statement yet: a message of its own would take longer than most statements. */
type Lent = { client: pg.PoolClient; begins: string | undefined }

function connectionOf(pool: PostgresPool, lent: Lent, keepsSessions: boolean): DatabaseConnection {
  const queryOf = ({ sql: text, parameters, name }: CompiledQuery & Partial<Prepared>): pg.QueryConfig => ({
    text,
    values: [...parameters],
    ...(name && keepsSessions && { name }),
  })
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery & Partial<Together>) {
      const { client, begins } = lent
      lent.begins = undefined
      const statements = (query.together ?? [query]).map(queryOf)
      const results = await pool.query<Row & object>(client, ...(begins ? [{ text: begins }] : []), ...statements)
      const { command, rowCount, rows } = results.at(-1)!
      // PostgreSQL answers a commit like this if a statement has failed and its error was ignored.
      if (query.sql === 'commit' && command === 'ROLLBACK')
        throw new Error('PostgreSQL has rolled the transaction back.')
      if (query.together) return { rows: results.slice(-statements.length).map((result) => result.rows as Row) }
      return isChange(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
    },
    // Reads that don't fit into memory declare a cursor.
    async *streamQuery<Row>(query: CompiledQuery) {
      yield await connection.executeQuery<Row>(query)
    },
  }
  return connection
}
