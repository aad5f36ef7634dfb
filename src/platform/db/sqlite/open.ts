import { closeSync, existsSync, openSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, type RawBuilder, sql } from 'kysely'
import { HttpError } from '../../../shared/http-error.ts'
import { type Milliseconds, seconds } from '../../../shared/time.ts'
import { makeFolder } from '../../config/data-folder.ts'
import { StartError } from '../../config/env.ts'
import type { Db } from '../open.ts'
import { statementTimes } from '../statement-times.ts'
import { storableJson } from '../storable.ts'
import type { Tables } from '../tables.ts'
import { DatabaseUnavailable, failureWatch } from '../unavailable.ts'
import { sqliteDialect, sqliteWorker } from './dialect.ts'
import { attempt } from './execute.ts'
import { backUp } from './make-backup.ts'

type SqliteOptions = {
  /** The longest wait for another program's lock. */
  lockTimeout?: Milliseconds
  /** The longest wait for the outcome of a statement. */
  answer?: Milliseconds
}

/** Opens the embedded database: `toolbox.db` in this folder. */
export function openSqlite(
  folder: string,
  { lockTimeout = seconds(10), answer = seconds(12) }: SqliteOptions = {},
): Db {
  const file = databaseFile(folder)
  const failures = failureWatch()
  const times = statementTimes()
  const onLocked = () => failures.failed(new DatabaseUnavailable('locked'))
  const reader = new DatabaseSync(file, { readOnly: true, timeout: 20 })
  reader.exec('pragma temp_store = memory; pragma cache_size = -16000')
  const writer = sqliteWorker({ file, readOnly: false, lockTimeout, answer, onLocked })
  const longReader = sqliteWorker({ file, readOnly: true, lockTimeout, answer })
  const q = new Kysely<Tables>({ dialect: sqliteDialect({ reader, writer, failures, times }) })

  async function longRead<Row>(query: RawBuilder<Row>): Promise<Row[]> {
    const { sql, parameters } = query.compile(q)
    const read = () => longReader.send({ kind: 'run', sql, parameters })
    // A read that takes too long doesn't mean that the database is unavailable.
    const toHttpError = (error: unknown) => {
      if (error instanceof DatabaseUnavailable)
        throw new HttpError(503, 'This takes too long right now. Try again later.')
      throw error
    }
    return (await attempt(failures, () => read().catch(toHttpError), read)).rows as Row[]
  }

  return {
    kind: 'sqlite',
    isShared: false,
    q,
    rows(name, columns, records) {
      const keys = Object.keys(columns)
      // Refers to values by position: by name, it takes SQLite three times as long.
      const picks = keys.map((key, place) => `value ->> ${place} as "${key}"`).join()
      const lists = records.map((record) => keys.map((key) => Reflect.get(record, key)))
      return sql`(select ${sql.raw(picks)} from json_each(${storableJson(lists)})) as ${sql.ref(name)}`
    },
    longRead,
    isOneOf: (column, texts) => sql`${sql.ref(column)} in (select value from json_each(${JSON.stringify(texts)}))`,
    timestamp: (at) => new Date(at).toISOString(),
    boolean: (yes) => (yes ? 1 : 0),
    forBetterAuth: { db: q, type: 'sqlite' },
    uniqueViolation: (error) =>
      error instanceof Error ? /^UNIQUE constraint failed: (\S+)/.exec(error.message)?.[1] : undefined,
    onStatement: times.onStatement,
    diskUsage: () => diskUsageOf(folder, file),
    load: () => ({ waiting: writer.waiting() }),
    backups: {
      form: 'db',
      folder,
      make: (to, without) => backUp({ from: file, to, without }),
    },
    failing: failures.failing,
    check: failures.check,
    async close() {
      await longReader.close()
      await q.destroy()
      // The last connection to close empties the write-ahead log, but a read-only one can't.
      if (!writer.hasStarted()) enableWal(file)
    },
  }
}

/** Creates the file if missing, with a write-ahead log: only then can one connection read while another writes. */
function databaseFile(folder: string): string {
  makeFolder(folder)
  const file = join(folder, 'toolbox.db')
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  enableWal(file)
  return file
}

/** The size of the file with its write-ahead log, and the free space on their disk, in bytes. */
async function diskUsageOf(folder: string, file: string) {
  const sizes = [file, `${file}-wal`].map(async (path) => (await stat(path).catch(() => ({ size: 0 }))).size)
  const [data, log] = await Promise.all(sizes)
  const { bavail, bsize } = await statfs(folder)
  return { used: (data ?? 0) + (log ?? 0), free: bavail * bsize }
}

function enableWal(file: string) {
  const database = new DatabaseSync(file, { timeout: 5_000 })
  try {
    database.exec('pragma journal_mode = wal')
  } finally {
    database.close()
  }
}

/** Makes this the only server on the folder until the result is called or the process ends. Throws a StartError. */
export function lockFolder(folder: string): () => void {
  makeFolder(folder)
  // SQLite's lock belongs to the operating system: unlike a file with a process id it never outlives its owner.
  const lock = new DatabaseSync(join(folder, 'server.lock'), { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    lock.close()
    const { errcode } = Object(error)
    if (errcode !== 5) throw error
    throw new StartError(`DATA_DIR ${folder} is in use by another ToolBox. Stop that one, or use a different DATA_DIR.`)
  }
  return () => {
    if (lock.isOpen) lock.close()
  }
}
