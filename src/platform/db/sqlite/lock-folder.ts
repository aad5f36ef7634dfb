import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeFolder } from '../../config/data-folder.ts'
import { StartError } from '../../config/env.ts'

/** Makes this the only server on an embedded database until the answer is called or the process ends in any way. Throws StartError. */
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
