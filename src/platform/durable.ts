import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Flushes a file, or the names in a folder, to disk. Windows has no such call for folders and needs none. */
export function sync(path: string): void {
  const isFolder = statSync(path).isDirectory()
  if (isFolder && process.platform === 'win32') return
  const handle = openSync(path, isFolder ? 'r' : 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Renames a file within its folder. Its content and new name are on disk when this returns. */
export function renameDurably(from: string, to: string): void {
  sync(from)
  renameSync(from, to)
  sync(dirname(to))
}

/** Writes a new file, which appears complete or not at all. Throws if it exists already. */
export async function writeAtomically(file: string, write: (part: string) => void | Promise<void>): Promise<void> {
  if (existsSync(file)) throw new Error(`${file} already exists.`)
  // A killed process leaves it behind.
  const part = `${file}.part`
  const removePart = () => {
    // SQLite keeps a journal next to a file that it writes.
    for (const path of [part, `${part}-journal`]) rmSync(path, { force: true })
  }
  removePart()
  try {
    await write(part)
    renameDurably(part, file)
  } finally {
    removePart()
  }
}
