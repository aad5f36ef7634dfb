import { existsSync } from 'node:fs'
import { createBackups } from '../../backups/backups.ts'
import { folderOf } from '../../backups/config.ts'
import { listBackups } from '../../backups/files/folder.ts'
import { variables } from '../../config.ts'
import { isMigrated } from '../../migrations.ts'
import { createNotify } from '../../notices/notify.ts'
import { readConfig } from '../../platform/config/config.ts'
import { jobs } from '../../platform/jobs/jobs.ts'
import { createLog } from '../../platform/log.ts'
import { databaseFile } from '../database-file.ts'
import { logCommand } from '../log-command.ts'
import { type Command, type Terminal, UsageError, withDatabase } from '../terminal.ts'
import { backupTable } from './backup-table.ts'

/** `backups` lists them, `backups make` makes one as the server does, even while it runs. */
export const backups: Command = async ([verb, ...args], terminal) => {
  if (args.length > 0 || (verb !== undefined && verb !== 'make')) throw new UsageError('Use backups or backups make.')
  return verb === 'make' ? make(terminal) : list(terminal)
}

async function list(terminal: Terminal): Promise<void> {
  const folder = folderOf(readConfig(variables, terminal.env, terminal.folder))
  const found = await listBackups(folder)
  if (found.length === 0) terminal.say(`There are no backups in ${folder}.`)
  else for (const line of backupTable(found)) terminal.say(line)
}

async function make(terminal: Terminal): Promise<void> {
  const config = readConfig(variables, terminal.env, terminal.folder)
  if (!config.databaseUrl && !existsSync(databaseFile(config)))
    throw new Error(`There is no database at ${databaseFile(config)} yet.`)
  const made = await withDatabase(terminal, async (db) => {
    if (!(await isMigrated(db))) throw new Error('This database has another version. Start the server on it first.')
    const now = Date.now
    const notify = createNotify({ db, now, jobs: jobs(db, 'command line', now) })
    const events = { publish() {} }
    return createBackups({ config, db, now, log: createLog('silent'), notify, events }).make()
  })
  await logCommand(terminal, 'data.backup', made.name)
  const kept = made.sealed ? '' : ' Its secrets can only be decrypted with the same APP_SECRET, so keep that too.'
  terminal.say(`Made ${made.name} with ${made.rows} rows in ${folderOf(config)}.${kept}`)
}
