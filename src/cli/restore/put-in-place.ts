import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { unavailabilityOf } from '../../platform/db/sqlite/error.ts'
import { lockFolder } from '../../platform/db/sqlite/lock-folder.ts'
import { sync } from '../../platform/durable.ts'

/** Replaces the database by a draft and answers where the old one is now. The target is always a whole database: the old one until the rename, then the new one. */
export function putInPlace(target: string, draft: string): string | undefined {
  sync(draft)
  if (!existsSync(target)) {
    renameSync(draft, target)
    sync(dirname(target))
    return undefined
  }
  const kept = `${target}.before-${new Date().toISOString().replaceAll(':', '-')}`
  const unlock = lock(target, kept)
  try {
    linkSync(target, kept)
    // Windows keeps the name of a file that is open.
    if (process.platform === 'win32') unlock()
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
  return () => {
    if (database.isOpen) database.close()
  }
}

/** SQLite can't lock what it can't read. The old write-ahead log must not be applied to the new file. */
function lockDamaged(file: string, kept: string): () => void {
  const release = lockFolder(dirname(file))
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${kept}-wal`)
  rmSync(`${file}-shm`, { force: true })
  return release
}
