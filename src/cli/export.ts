import { mkdtempSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { writeRows } from '../platform/db/rows/rows-file.ts'
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
  let rows = 0
  await writeAtomically(file, async (part) => {
    ;({ rows } = await writeSnapshot(terminal, part))
  })
  await logCommand(terminal, 'data.export', file)
  terminal.say(
    `Wrote ${rows} rows into ${file}. Their secrets can only be decrypted with the same APP_SECRET, so keep that too.`,
  )
}

/** Writes the rows while the server keeps writing; for SQLite, those of a copy next to `part`. */
async function writeSnapshot(terminal: Terminal, part: string): Promise<{ rows: number }> {
  const config = configOf(terminal)
  if (config.databaseUrl)
    return withDatabase(terminal, async (db) => {
      await requireMigrated(db)
      return writeRows(db, part)
    })
  const source = requireDatabaseFile(config)
  const folder = mkdtempSync(`${part}-`)
  try {
    copyDatabase(source, join(folder, basename(source)))
    return await writeRowsOf(folder, part)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const writeRowsOf = (folder: string, file: string): Promise<{ rows: number }> =>
  closeAfter(openSqlite(folder), async (db) => {
    await requireMigrated(db)
    return writeRows(db, file)
  })
