import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CompiledQuery, Kysely, type RawBuilder, sql } from 'kysely'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import { makeFolder } from '../../config/data-folder.ts'
import type { Db } from '../open.ts'
import { storableJson } from '../rows/storable.ts'
import type { Tables } from '../tables.ts'
import { DatabaseUnavailable, failureWatch } from '../unavailable.ts'
import { sqliteDialect } from './dialect.ts'
import { unavailabilityOf } from './error.ts'
import { readerThread } from './reader-thread.ts'

/** The embedded database: `toolbox.db` in this folder, or ':memory:'. `patience` is the longest wait for another program's lock. */
export function openSqlite(folder: string, { patience = seconds(10) }: { patience?: Milliseconds } = {}): Db {
  const isFile = folder !== ':memory:'
  const file = isFile ? databaseFile(folder) : folder
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5_000 })
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory')
  // Indexes on random keys touch many pages at every write: 16 MB of them stay cached, and checkpoints come every 16 MB.
  database.exec('pragma cache_size = -16000; pragma wal_autocheckpoint = 4000')
  // From here on nothing may block the event loop.
  database.exec('pragma busy_timeout = 0')
  const reader = isFile ? new DatabaseSync(file, { readOnly: true, timeout: 20 }) : undefined
  const longReader = isFile ? readerThread(file) : undefined
  const failures = failureWatch()
  const q = new Kysely<Tables>({ dialect: sqliteDialect(database, { reader, failures, patience }) })

  async function longRead<Row>(query: RawBuilder<Row>): Promise<Row[]> {
    if (!longReader) return (await query.execute(q)).rows
    const { sql: text, parameters } = query.compile(q)
    try {
      return (await longReader.read(text, parameters)) as Row[]
    } catch (error) {
      const why = unavailabilityOf(error)
      if (!why) throw error
      const unavailable = new DatabaseUnavailable(why, error)
      failures.failed(unavailable, () => longReader.read(text, parameters))
      throw unavailable
    }
  }

  return {
    kind: 'sqlite',
    isShared: false,
    q,
    run: async <Row>({ text }: { text: string }, values: readonly unknown[]) =>
      (await q.executeQuery<Row>(CompiledQuery.raw(text, [...values]) as CompiledQuery<Row>)).rows,
    rows(name, columns, records) {
      const picks = Object.keys(columns).map((key) => sql`value ->> ${sql.lit(`$.${key}`)} as ${sql.ref(key)}`)
      return sql`(select ${sql.join(picks)} from json_each(${storableJson(records)})) as ${sql.ref(name)}`
    },
    longRead,
    isOneOf: (column, texts) => sql`${sql.ref(column)} in (select value from json_each(${JSON.stringify(texts)}))`,
    timestamp: (at) => new Date(at).toISOString(),
    boolean: (yes) => (yes ? 1 : 0),
    forBetterAuth: { db: q, type: 'sqlite' },
    uniqueViolation: (error) =>
      error instanceof Error ? /^UNIQUE constraint failed: (\S+)/.exec(error.message)?.[1] : undefined,
    failing: failures.failing,
    check: failures.check,
    async close() {
      await longReader?.close()
      await q.destroy()
    },
  }
}

function databaseFile(folder: string): string {
  makeFolder(folder)
  const file = join(folder, 'toolbox.db')
  const fresh = !existsSync(file)
  if (fresh) new DatabaseSync(file).close()
  if (fresh) chmodSync(file, 0o600)
  return file
}
