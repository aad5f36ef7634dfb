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
import type { Pipeline, Prepared } from '../look-up.ts'
import type { Db, Queries } from '../open.ts'
import { backUpRows } from '../rows/rows-file.ts'
import { statementTimes } from '../statement-times.ts'
import { storableJson } from '../storable.ts'
import type { Tables } from '../tables.ts'
import { DatabaseUnavailable, failureWatch } from '../unavailable.ts'
import { defaultLimits, isChange, type Limits, type PostgresPool, postgresPool } from './pool.ts'

// Instants and counters fit into a double, so bigint columns are returned as numbers, as from SQLite.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

export type PostgresOptions = {
  size?: number
  limits?: Limits
  /** The same database without the pooler behind `url`, which may switch sessions: then statements have no names. */
  directUrl?: string | undefined
  /** Called for each connection that is lost because no response arrived in time. */
  onSilence?: (error: Error) => void
}

/** Opens PostgreSQL. Every call ends in time, and throws DatabaseUnavailable if the server is to blame. */
export function openPostgres(
  url: string,
  { size = 10, limits = defaultLimits, directUrl, onSilence = () => {} }: PostgresOptions = {},
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
    async diskUsage() {
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
    newClient: (connectTimeout) =>
      new pg.Client({ connectionString: directUrl ?? url, keepAlive: true, connectionTimeoutMillis: connectTimeout }),
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

/** Kysely over our own pool, because its PostgresDialect can't handle connections that never respond. */
function postgresDialect(pool: PostgresPool, keepsSessions: boolean): Dialect {
  const clients = new WeakMap<DatabaseConnection, pg.PoolClient>()
  const driver: Driver = {
    async init() {},
    async acquireConnection() {
      const client = await pool.acquire()
      const connection = connectionOf(pool, client, keepsSessions)
      clients.set(connection, client)
      return connection
    },
    async beginTransaction(connection, { isolationLevel }) {
      const level = isolationLevel ? ` isolation level ${isolationLevel}` : ''
      await connection.executeQuery(CompiledQuery.raw(`begin${level}`))
    },
    async commitTransaction(connection) {
      await connection.executeQuery(CompiledQuery.raw('commit'))
    },
    async rollbackTransaction(connection) {
      try {
        await connection.executeQuery(CompiledQuery.raw('rollback'))
      } catch (error) {
        // The transaction ended with its connection, and its error is known already.
        if (!(error instanceof DatabaseUnavailable)) throw error
      }
    },
    async releaseConnection(connection) {
      pool.release(clients.get(connection)!)
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

function connectionOf(pool: PostgresPool, client: pg.PoolClient, keepsSessions: boolean): DatabaseConnection {
  const queryOf = ({ sql: text, parameters, name }: CompiledQuery & Partial<Prepared>): pg.QueryConfig => ({
    text,
    values: [...parameters],
    ...(name && keepsSessions && { name }),
  })
  const connection: DatabaseConnection = {
    async executeQuery<Row>(query: CompiledQuery & Partial<Pipeline>) {
      if (query.statements) {
        const results = await Promise.all(query.statements.map((one) => pool.query(client, queryOf(one))))
        return { rows: results.map(({ rows }) => rows as Row) }
      }
      const { command, rowCount, rows } = await pool.query<Row & object>(client, queryOf(query))
      // PostgreSQL responds to a commit like this if a statement failed and its error was ignored.
      if (query.sql === 'commit' && command === 'ROLLBACK')
        throw new Error('PostgreSQL has rolled the transaction back.')
      return isChange(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
    },
    // Doesn't stream: reads that don't fit into memory declare a cursor.
    async *streamQuery<Row>(query: CompiledQuery) {
      yield await connection.executeQuery<Row>(query)
    },
  }
  return connection
}

type ServerSettings = {
  role: string
  database: string
  schema: string | null
  encoding: string
  isStandby: boolean
  isReadOnly: boolean
  mayCreate: boolean | null
  /** The role that owns the tables, if ours isn't a member of it. */
  owner: string | null
}

/** Returns why ToolBox can't work with this PostgreSQL and what to do; undefined if it can. Changes nothing. */
export async function findSetupProblem(q: Queries): Promise<string | undefined> {
  const { rows } = await sql<ServerSettings>`select current_user as role, current_database() as database,
    current_schema() as schema, current_setting('server_encoding') as encoding, pg_is_in_recovery() as "isStandby",
    current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
    has_schema_privilege(current_schema(), 'create') as "mayCreate",
    (select pg_get_userbyid(relowner) from pg_class where relname = 'migration' and relkind = 'r'
      and relnamespace = to_regnamespace(quote_ident(current_schema())) and not pg_has_role(relowner, 'usage')) as owner`.execute(
    q,
  )
  const { role, database, schema, encoding, isStandby, isReadOnly, mayCreate, owner } = rows[0]!
  if (isStandby) return 'DATABASE_URL leads to a standby, which only reads. Set it to the primary server.'
  if (isReadOnly)
    return `PostgreSQL lets ${role} only read in the database ${database}. Set default_transaction_read_only to off for the role or the database, or use another role.`
  if (encoding !== 'UTF8')
    return `The database ${database} stores text as ${encoding}. Create one with encoding 'UTF8' template template0, ${seeScaleDocs}.`
  if (schema === null)
    return `No schema on the search_path of ${role} exists in the database ${database}. Create one for it, ${seeScaleDocs}.`
  if (!mayCreate)
    return `The role ${role} may not create tables in the schema ${schema} of ${database}. Make it the owner of the database, ${seeScaleDocs}.`
  if (owner)
    return `The tables in ${database} belong to ${owner}, and ${role} may not change them. Make ${role} their owner, ${seeScaleDocs}.`
  if (await sharesSessions(q))
    return 'DATABASE_URL leads through a pooler in transaction mode, such as PgBouncer. Set DATABASE_URL_DIRECT to the same database without it.'
  return undefined
}

const seeScaleDocs = 'as docs/scale.md says'

/** Whether a connection may change its session between transactions, as through a pooler in transaction mode. */
const sharesSessions = (q: Queries): Promise<boolean> =>
  q.connection().execute((one) =>
    q.connection().execute(async (other) => {
      const sessions: number[] = []
      for (const each of [one, other, one, other]) sessions.push(await sessionOf(each))
      const [first, second, third, fourth] = sessions
      return first === second || first !== third || second !== fourth
    }),
  )

async function sessionOf(q: Queries): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(q)
  return rows[0]!.pid
}
