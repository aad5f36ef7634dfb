import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Waits until a file, or the names in a folder, are on disk. Windows has no such call for folders and needs none. */
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

/** Gives a file another name in its folder; both are on disk once this returns. */
export function renameForGood(from: string, to: string): void {
  sync(from)
  renameSync(from, to)
  sync(dirname(to))
}

/** Writes a new file, which appears whole or not at all. */
export async function writeWhole(file: string, write: (part: string) => void | Promise<void>): Promise<void> {
  if (existsSync(file)) throw new Error(`${file} already exists.`)
  const part = `${file}.part`
  rmSync(part, { force: true })
  try {
    await write(part)
    renameForGood(part, file)
  } finally {
    rmSync(part, { force: true })
  }
}
