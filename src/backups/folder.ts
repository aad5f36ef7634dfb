import { type Dirent, existsSync, rmSync } from 'node:fs'
import { lstat, readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type Label, labelOfDatabase } from '../platform/db/label.ts'
import { labelOfRows } from '../platform/db/rows/rows-file.ts'
import { type Instant, seconds } from '../shared/time.ts'
import type { Backup } from './contract.ts'
import { labelOfSealed } from './sealed.ts'

const labels: Record<Form, (file: string, size: number) => Promise<Label | undefined>> = {
  db: async (file, size) => labelOfDatabase(file, size),
  jsonl: labelOfRows,
  sealed: labelOfSealed,
}

/** Undefined if there is no such file, or it isn't a ToolBox backup. */
export async function findBackup(folder: string, name: string): Promise<Backup | undefined> {
  const parsed = readName(name)
  if (!parsed) return undefined
  try {
    const file = join(folder, name)
    const stats = await lstat(file)
    const { size } = stats
    const label = stats.isFile() ? await labels[parsed.form](file, size) : undefined
    if (!label) return undefined
    return { name, time: parsed.at, size, sealed: parsed.form === 'sealed', rows: label.rows, verified: label.isWhole }
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

/** All backups in a folder, newest first; ignores other files. */
export async function listBackups(folder: string): Promise<Backup[]> {
  const found = await Promise.all((await filesIn(folder)).map(({ name }) => findBackup(folder, name)))
  return found.filter((backup) => backup !== undefined).sort((a, b) => b.time - a.time || (a.name < b.name ? 1 : -1))
}

/** If the name for this second is taken, uses a later second. */
export function freeName(folder: string, at: Instant, form: Form, before?: string): string {
  const name = backupName(at, form, before)
  return existsSync(join(folder, name)) ? freeName(folder, at + seconds(1), form, before) : name
}

const partOf = (file: string) => /^(.+?)\.(?:part|plain)(?:\.part)?(?:-journal)?$/.exec(file)?.[1]

/** Removes partial files that killed processes left of these backups. Call it only while no other backup runs. */
export async function removeParts(folder: string, own: ReadonlySet<string>): Promise<void> {
  for (const { name } of await filesIn(folder)) {
    const of = partOf(name)
    if (of !== undefined && own.has(of)) rmSync(join(folder, name), { force: true })
  }
}

export async function namesIn(folder: string): Promise<string[]> {
  const names = (await filesIn(folder)).map(({ name }) => partOf(name) ?? name)
  return [...new Set(names)].filter((name) => readName(name))
}

async function filesIn(folder: string): Promise<Dirent[]> {
  try {
    return (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile())
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

const isGone = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(Object(error).code)

/** The bytes that this process may still write to the folder's disk. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** A SQLite database, rows as JSON lines, or either of them encrypted. */
type Form = 'db' | 'jsonl' | 'sealed'

const pattern = /^(?:toolbox|before-([\w-]+?))-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)Z\.(db|jsonl|sealed)$/

/** `before` is the migration that the backup precedes. */
function backupName(at: Instant, form: Form, before?: string): string {
  const stamp = `${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z`
  return `${before === undefined ? 'toolbox' : `before-${before}`}-${stamp}.${form}`
}

/** Undefined if the name isn't a backup's. */
export function readName(name: string): { at: Instant; form: Form; before: string | undefined } | undefined {
  const [, before, day, hour, minute, second, form] = pattern.exec(name) ?? []
  const at = Date.parse(`${day}${hour}:${minute}:${second}Z`)
  return Number.isNaN(at) ? undefined : { at, form: form as Form, before }
}

/** Whether a backup was made on schedule or on demand, and so is subject to BACKUP_KEEP. */
export const isRegular = (name: string): boolean => name.startsWith('toolbox-')
