import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { sql } from 'kysely'
import type { Db } from '../platform/db/open.ts'
import { rowsInLines } from '../platform/db/rows/rows-file.ts'
import { copyDatabase } from '../platform/db/sqlite/make-backup.ts'
import { openSqlite } from '../platform/db/sqlite/open.ts'
import { writeAtomically } from '../platform/durable.ts'
import {
  type Command,
  closeAfter,
  configOf,
  logCommand,
  parseNewFileArgument,
  requireDatabaseFile,
  requireMigrated,
  type Terminal,
  withDatabase,
} from './terminal.ts'

/** Writes a consistent snapshot of all rows of all tables into FILE as JSON lines. Works with both databases. */
export const exportRows: Command = async (args, terminal) => {
  const file = parseNewFileArgument(args, terminal)
  const count = { rows: 0 }
  await writeAtomically(file, (part) => withSnapshot(terminal, part, (db) => writeLines(db, part, count)))
  await logCommand(terminal, 'data.export', file)
  terminal.say(
    `Wrote ${count.rows} rows into ${file}. Their secrets can only be decrypted with the same APP_SECRET, so keep that too.`,
  )
}

/** Runs `work` on a snapshot of the database while the server keeps writing; for SQLite, on a copy next to `part`. */
async function withSnapshot(terminal: Terminal, part: string, work: (db: Db) => Promise<void>): Promise<void> {
  const config = configOf(terminal)
  if (config.databaseUrl)
    return withDatabase(terminal, async (db) => {
      await requireMigrated(db)
      await db.q.connection().execute(async (q) => {
        await sql`begin isolation level repeatable read read only`.execute(q)
        await work({ ...db, q })
        await sql`commit`.execute(q)
      })
    })
  const source = requireDatabaseFile(config)
  const folder = mkdtempSync(`${part}-`)
  try {
    copyDatabase(source, join(folder, basename(source)))
    await withCopy(folder, work)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const withCopy = (folder: string, work: (db: Db) => Promise<void>): Promise<void> =>
  closeAfter(openSqlite(folder), async (db) => {
    await requireMigrated(db)
    await db.q.transaction().execute((q) => work({ ...db, q }))
  })

export const writeRowsOf = (folder: string, file: string): Promise<void> =>
  withCopy(folder, (db) => writeLines(db, file, { rows: 0 }))

const writeLines = (db: Db, file: string, count: { rows: number }): Promise<void> =>
  pipeline(Readable.from(rowsInLines(db, count)), createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }))
