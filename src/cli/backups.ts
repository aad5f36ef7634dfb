import { createBackups } from '../backups/backups.ts'
import { folderOf } from '../backups/config.ts'
import type { Backup } from '../backups/contract.ts'
import { listBackups } from '../backups/folder.ts'
import { createNotify } from '../notices/notify.ts'
import { copyDatabase } from '../platform/db/sqlite/make-backup.ts'
import { writeAtomically } from '../platform/durable.ts'
import { jobs } from '../platform/jobs/jobs.ts'
import { createLog } from '../platform/log.ts'
import {
  type Command,
  configOf,
  logCommand,
  parseNewFileArgument,
  requireDatabaseFile,
  requireMigrated,
  type Terminal,
  UsageError,
  withDatabase,
} from './terminal.ts'

/** Copies the database into FILE, even while the server runs. The file appears whole or not at all. */
export const backup: Command = async (args, terminal) => {
  const file = parseNewFileArgument(args, terminal)
  const source = requireDatabaseFile(configOf(terminal))
  await writeAtomically(file, (part) => copyDatabase(source, part))
  await logCommand(terminal, 'data.backup', file)
  terminal.say(`Wrote ${file}. Its secrets can only be decrypted with the same APP_SECRET, so keep that too.`)
}

/** `backups` lists the backups; `backups make` makes one like the server's own, even while it runs. */
export const backups: Command = async ([verb, ...args], terminal) => {
  if (args.length > 0 || (verb !== undefined && verb !== 'make')) throw new UsageError('Use backups or backups make.')
  return verb === 'make' ? make(terminal) : list(terminal)
}

async function list(terminal: Terminal): Promise<void> {
  const folder = folderOf(configOf(terminal))
  const found = await listBackups(folder)
  if (found.length === 0) terminal.say(`There are no backups in ${folder}.`)
  else for (const line of backupTable(found)) terminal.say(line)
}

async function make(terminal: Terminal): Promise<void> {
  const config = configOf(terminal)
  if (!config.databaseUrl) requireDatabaseFile(config)
  const backup = await withDatabase(terminal, async (db) => {
    await requireMigrated(db)
    const now = Date.now
    const notify = createNotify({ db, now, jobs: jobs(db, 'command line', now) })
    const events = { publish() {} }
    return createBackups({ config, db, now, log: createLog('silent'), notify, events }).make()
  })
  await logCommand(terminal, 'data.backup', backup.name)
  const secretNote = backup.sealed
    ? ''
    : ' Its secrets can only be decrypted with the same APP_SECRET, so keep that too.'
  terminal.say(`Made ${backup.name} with ${backup.rows} rows in ${folderOf(config)}.${secretNote}`)
}

const formatYesNo = (yes: boolean) => (yes ? 'yes' : 'no')
const size = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`

/** Formats backups as the lines of a table, with `before` as the first column. */
export function backupTable(backups: readonly Backup[], before: readonly string[] = backups.map(() => '')): string[] {
  const rows = backups.map((backup, index) => [
    before[index] ?? '',
    backup.name,
    new Date(backup.time).toISOString().slice(0, 19).replace('T', ' '),
    size(backup.size),
    formatYesNo(backup.sealed),
    String(backup.rows),
    formatYesNo(backup.verified),
  ])
  const all = [['', 'Name', 'Time (UTC)', 'Size', 'Encrypted', 'Rows', 'Verified'], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .filter((_, column) => (widths[column] ?? 0) > 0)
      .join('  ')
      .trimEnd(),
  )
}
