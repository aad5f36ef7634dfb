import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Creates a folder and its parents, owner-only. Not `recursive`: it never ends where mkdir gives ENOENT (/proc). */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = Object(error)
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    // On Windows, a missing drive is its own parent.
    if (code !== 'ENOENT' || existsSync(dirname(path)) || dirname(path) === path) throw error
    makeFolder(dirname(path))
    makeFolder(path)
  }
}

/** Explains why the folder can't be used and what the operator can do; undefined for any other error. */
export function describeFolderError(error: unknown, dataDir: string): string | undefined {
  const { code } = Object(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFullMessage(dataDir)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return noAccessMessage(dataDir)
  if (code === 'ENOTDIR' || code === 'EEXIST') return `DATA_DIR ${dataDir} is not a folder. Set DATA_DIR to a folder.`
  if (code === 'ENOENT') return `DATA_DIR ${dataDir} can't be created. Set DATA_DIR to another folder.`
  return undefined
}

export const diskFullMessage = (dataDir: string) =>
  `The disk of DATA_DIR ${dataDir} is full. Free some space, then start again.`
export const noAccessMessage = (dataDir: string) =>
  `ToolBox can't read or write in DATA_DIR ${dataDir}. Check the owner and permissions of the folder and its files.`
