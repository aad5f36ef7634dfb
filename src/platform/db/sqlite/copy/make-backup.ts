import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { renameForGood } from '../../../durable.ts'
import { label } from '../../label.ts'
import { copyDatabase } from './copy-database.ts'
import { writeDigest } from './digest.ts'
import { inspect, tablesIn, total } from './inspect.ts'

export type BackupOrder = {
  from: string
  /** A file that doesn't exist yet. */
  to: string
  /** Tables whose rows stay behind; those that aren't there don't matter. */
  without: readonly string[]
}

/** The name of a file that is being written, in the folder of the finished one. A kill leaves it behind, for others to remove. */
export const partOf = (file: string): string => `${file}.part`
export const isPart = (name: string): boolean => /\.part(?:-journal)?$/.test(name)

/** Copies a database while others go on with it, checks the copy by reading all of it, and answers how many rows it holds. `to` appears whole or not at all. */
export function makeBackup({ from, to, without }: BackupOrder): { rows: number } {
  if (existsSync(to)) throw new Error(`${to} already exists.`)
  const part = partOf(to)
  const removePart = () => {
    for (const file of [part, `${part}-journal`]) rmSync(file, { force: true })
  }
  removePart()
  try {
    copyDatabase(from, part)
    strip(part, without)
    const rows = total(inspect(part).rows)
    writeDigest(part)
    label(part, rows)
    renameForGood(part, to)
    return { rows }
  } finally {
    removePart()
  }
}

/** Deletes all rows of these tables; their bytes are overwritten. */
function strip(file: string, without: readonly string[]): void {
  const database = new DatabaseSync(file)
  try {
    database.exec('pragma secure_delete = on')
    const names = tablesIn(database).filter((name) => without.includes(name))
    for (const name of names) database.exec(`delete from "${name}"`)
  } finally {
    database.close()
  }
}
