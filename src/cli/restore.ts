import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { variables } from '../config.ts'
import { type Config, readConfig } from '../platform/config/config.ts'
import { makeFolder } from '../platform/config/data-folder.ts'
import { canaryKey, openSecrets, opens } from '../platform/crypto/secrets.ts'
import { copyDatabase } from '../platform/db/sqlite/copy/copy-database.ts'
import { unavailabilityOf } from '../platform/db/sqlite/error.ts'
import { lockFolder } from '../platform/db/sqlite/lock-folder.ts'
import { sync } from '../platform/durable.ts'
import { databaseFile, mustBeOurs } from './database-file.ts'
import { logCommand } from './log-command.ts'
import { type Command, onlyFile } from './terminal.ts'

/** Replaces the current database by the one in FILE, and keeps the old one beside it. */
export const restore: Command = async (args, terminal) => {
  const file = onlyFile(args, terminal)
  const config = readConfig(variables, terminal.env, terminal.folder)
  const target = databaseFile(config)
  mustBeOurs(file)
  const draft = `${target}.restoring`
  makeFolder(dirname(target))
  rmSync(draft, { force: true })
  try {
    copyDatabase(file, draft)
    if (!fits(draft, config))
      throw new Error(
        `The secrets in ${file} were encrypted with another APP_SECRET. Set that one as APP_SECRET_PREVIOUS first.`,
      )
    const kept = replace(target, draft)
    await logCommand(terminal, 'data.restore', file)
    terminal.say(kept ? `Restored ${file}. The previous database is ${kept}.` : `Restored ${file}.`)
  } finally {
    rmSync(draft, { force: true })
  }
}

function fits(file: string, config: Config): boolean {
  const database = new DatabaseSync(file, { readOnly: true })
  const row = database.prepare('select value from setting where key = ?').get(canaryKey)
  database.close()
  return !row || opens(openSecrets(config), String(row.value))
}

/** The target is always a whole database: the old one until the rename, then the new one. */
function replace(target: string, draft: string): string | undefined {
  if (!existsSync(target)) {
    renameSync(draft, target)
    sync(dirname(target))
    return undefined
  }
  const kept = `${target}.before-${new Date().toISOString().replaceAll(':', '-')}`
  const unlock = lock(target, kept)
  try {
    linkSync(target, kept)
    renameSync(draft, target)
    sync(dirname(target))
    return kept
  } finally {
    unlock()
  }
}

/** Shows whether a server is running: SQLite leaves WAL mode only if nobody else has the file open. */
function lock(file: string, kept: string): () => void {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('pragma journal_mode = delete; begin exclusive')
  } catch (cause) {
    database.close()
    if (unavailabilityOf(cause) === 'damaged') return lockDamaged(file, kept)
    throw new Error(`A server is running on ${file}. Stop it first.`, { cause })
  }
  return () => database.close()
}

/** SQLite can't lock what it can't read. The old write-ahead log must not be applied to the new file. */
function lockDamaged(file: string, kept: string): () => void {
  const release = lockFolder(dirname(file))
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${kept}-wal`)
  rmSync(`${file}-shm`, { force: true })
  return release
}
