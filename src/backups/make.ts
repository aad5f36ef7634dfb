import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../platform/config/config.ts'
import { makeFolder } from '../platform/config/data-folder.ts'
import type { Db } from '../platform/db/open.ts'
import { transact } from '../platform/db/transact.ts'
import { writeAtomically } from '../platform/durable.ts'
import { days, type Instant } from '../shared/time.ts'
import { type BackupsConfig, folderOf, type Retention } from './config.ts'
import type { Backup } from './contract.ts'
import { BackupRefused, requireDiskSpace } from './failure.ts'
import { findBackup, freeBytes, freeName, isRegular, listBackups, namesIn, removeParts } from './folder.ts'
import { hashOfSealed, sealFile } from './sealed.ts'
import { lockState, writeState } from './state.ts'

/** Tables with short-lived data. Without them, users have to sign in again after a restore. */
export const excludedTables = ['sessions', 'verifications', 'rate_limits', 'setup_link', 'mail']

type BackupOptions = {
  db: Db
  config: Config & BackupsConfig
  at: Instant
  /** The migration that the backup precedes; undefined for a backup on schedule or on demand. */
  before?: string
  free?: typeof freeBytes
}

/** Makes a backup, then deletes this installation's outdated ones. Run only one at a time. Throws if it fails. */
export async function makeBackup({ db, config, at, before, free = freeBytes }: BackupOptions): Promise<Backup> {
  const folder = folderOf(config)
  const { form } = db.backups
  const passphrase = config.backupPassphrase
  makeFolder(folder)
  const plainFolder = passphrase === undefined ? folder : (db.backups.folder ?? folder)
  const name = freeName(folder, at, passphrase === undefined ? form : 'sealed', before)
  const own = await recordBackupName(db, folder, name)
  await removeParts(folder, own)
  // No other installation writes backups next to this database.
  if (plainFolder !== folder) await removeParts(plainFolder, new Set(await namesIn(plainFolder)))
  const { used: bytes } = await db.diskUsage()
  const needs = [{ folder: plainFolder, bytes }, ...(passphrase === undefined ? [] : [{ folder, bytes }])]
  await requireDiskSpace(needs, free)
  if (passphrase === undefined) await db.backups.make(join(folder, name), excludedTables)
  else await makeSealed({ db, config, passphrase, to: join(folder, name), plain: join(plainFolder, `${name}.plain`) })
  const backup = await findBackup(folder, name)
  if (!backup?.verified) throw new BackupRefused(`The backup ${name} isn't on the disk as it was written`)
  await prune(folder, own, config)
  return backup
}

const mostElsewhere = 1_000

/** Records a backup's name first, so that its partial files can be recognized. Returns all recorded names. */
const recordBackupName = (db: Db, folder: string, name: string): Promise<ReadonlySet<string>> =>
  transact(db, async (tx) => {
    const state = await lockState(db, tx)
    const existingNames = await namesIn(folder)
    const before = state.own ?? (state.last ? existingNames : [])
    // The other instances' backups may lie in other folders.
    const elsewhere = db.isShared ? before.slice(-mostElsewhere) : []
    const own = [...before.filter((one) => existingNames.includes(one) || elsewhere.includes(one)), name]
    await writeState(tx, { ...state, own })
    return new Set(own)
  })

type Sealing = { db: Db; config: Config; passphrase: string; to: string; plain: string }

/** Keeps the unencrypted copy only next to the database, and deletes it afterwards. */
async function makeSealed({ db, config, passphrase, to, plain }: Sealing): Promise<void> {
  const { appSecret, previousAppSecret } = config
  const inside = { appSecret, ...(previousAppSecret !== undefined && { previousAppSecret }) }
  try {
    const { rows } = await db.backups.make(plain, excludedTables)
    await writeAtomically(to, async (part) => {
      const { hash, keys } = await sealFile(plain, part, { passphrase, inside, form: db.backups.form, rows })
      if ((await hashOfSealed(part, keys)) !== hash) throw new BackupRefused(`${to} can't be read again`)
    })
  } finally {
    rmSync(plain, { force: true })
  }
}

/** Encrypted and plain backups never replace each other: a passphrase may get lost, or encryption be turned off. */
async function prune(folder: string, own: ReadonlySet<string>, { backupKeep }: BackupsConfig): Promise<void> {
  const all = await listBackups(folder)
  const regular = all.filter(({ name, verified }) => verified && isRegular(name) && own.has(name))
  for (const isSealed of [true, false])
    for (const { name } of selectOutdated(
      regular.filter(({ sealed }) => sealed === isSealed),
      backupKeep,
    ))
      rmSync(join(folder, name), { force: true })
}

const iso = (at: Instant) => new Date(at).toISOString()
/** Weeks are counted from a Monday, so that each begins on one. */
const monday = Date.UTC(1970, 0, 5)

/** In UTC. */
const spans: Record<keyof Retention, (at: Instant) => string> = {
  h: (at) => iso(at).slice(0, 13),
  d: (at) => iso(at).slice(0, 10),
  w: (at) => String(Math.floor((at - monday) / days(7))),
  m: (at) => iso(at).slice(0, 7),
}

/** The backups to remove. Keeps the newest, and the newest of each of the last hours, days, weeks and months. */
export function selectOutdated<Item extends { time: Instant }>(backups: readonly Item[], keep: Retention): Item[] {
  const newestFirst = backups.toSorted((a, b) => b.time - a.time)
  const retained = new Set(newestFirst.slice(0, 1))
  for (const [unit, spanOf] of Object.entries(spans)) {
    const seen = new Set<string>()
    for (const backup of newestFirst) {
      const span = spanOf(backup.time)
      if (seen.has(span)) continue
      if (seen.size === keep[unit as keyof Retention]) break
      seen.add(span)
      retained.add(backup)
    }
  }
  return newestFirst.filter((backup) => !retained.has(backup))
}
