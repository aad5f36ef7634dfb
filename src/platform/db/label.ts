import { closeSync, openSync, readSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** "TBox": the application id of SQLite files that are ToolBox backups. */
const appId = 0x54426f78
const mostRows = 0x7fffffff
const headerBytes = 100

export type Label = {
  rows: number
  /** Whether the file has the size that its header states. */
  isWhole: boolean
}

/** Marks a copy in its header as a ToolBox backup with this number of rows; `undefined` removes the mark. */
export function label(file: string, rows: number | undefined): void {
  const database = new DatabaseSync(file)
  const [id, count] = rows === undefined ? [0, 0] : [appId, Math.min(rows, mostRows)]
  database.exec(`pragma application_id = ${id}; pragma user_version = ${count}`)
  database.close()
}

/** Reads the mark from a backup's header; undefined for any other file. */
export function labelOfDatabase(file: string, size: number): Label | undefined {
  const header = Buffer.alloc(headerBytes)
  const handle = openSync(file, 'r')
  try {
    if (readSync(handle, header, 0, headerBytes, 0) < headerBytes) return undefined
  } finally {
    closeSync(handle)
  }
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0' || header.readUInt32BE(68) !== appId) return undefined
  const page = header.readUInt16BE(16)
  return { rows: header.readUInt32BE(60), isWhole: header.readUInt32BE(28) * (page === 1 ? 65_536 : page) === size }
}
