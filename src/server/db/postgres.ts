import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Db } from './open.ts'
import type { Tables } from './tables.ts'

// Instants and counters fit a double; bigint columns come back as numbers, as from SQLite.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

/** PostgreSQL at a postgres:// URL; any number of instances may share it. */
export function openPostgres(url: string, poolSize = 10): Db {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, connectionTimeoutMillis: 10_000 })
  // A connection that breaks fails the query it has, or is replaced at the next; unheard, the event would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  const q = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return {
    kind: 'postgres',
    q,
    run: async <Row extends object>(statement: { name: string; text: string }, values: readonly unknown[]) =>
      (await pool.query<Row>({ ...statement, values: [...values] })).rows,
    rows(name, columns, records) {
      const typed = Object.entries(columns).map(([key, type]) => sql`${sql.ref(key)} ${sql.raw(type)}`)
      return sql`jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as ${sql.ref(name)}(${sql.join(typed)})`
    },
    uniqueViolation: (error) =>
      error instanceof pg.DatabaseError && error.code === '23505' ? (error.constraint ?? 'unknown') : undefined,
    failing: () => undefined,
    close: () => q.destroy(),
  }
}
