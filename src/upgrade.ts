import { rmSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { type BackupsConfig, folderOf } from './backups/config.ts'
import { describeBackupFailure } from './backups/failure.ts'
import { listBackups, readName } from './backups/folder.ts'
import { makeBackup } from './backups/make.ts'
import { readState } from './backups/state.ts'
import type { AppConfig } from './config.ts'
import { migrate, nextFor } from './migrations.ts'
import type { Config } from './platform/config/config.ts'
import { StartError } from './platform/config/env.ts'
import { describeDatabaseError } from './platform/db/configured.ts'
import { NewerDatabase } from './platform/db/migrations/migrate.ts'
import type { Db } from './platform/db/open.ts'
import type { Instant } from './shared/time.ts'

type Upgrade = { db: Db; config: AppConfig; at: Instant; say: (line: string) => void }

/** An embedded database that is in use is backed up first, which `say` reports. */
export async function upgrade({ db, config, at, say }: Upgrade): Promise<void> {
  const migration = await nextFor(db)
  if (migration && !db.isShared) {
    const file = await backUpBefore({ db, config, at, migration })
    say(`Backed up the database as ${file} before its upgrade to ToolBox ${packageJson.version}`)
  }
  await migrate(db)
}

/** What the operator can do about an unusable database; undefined for any other error. */
export async function describeOpenError(error: unknown, config: AppConfig): Promise<string | undefined> {
  const isTooNew = error instanceof NewerDatabase && !config.databaseUrl
  return describeDatabaseError(error, config, isTooNew ? await backupBefore(config, error.migration) : undefined)
}

type UpgradeConfig = Config & BackupsConfig
type Upgrading = { db: Db; config: UpgradeConfig; at: Instant; migration: string }

/** The number of upgrades whose last backup is kept. */
const keptUpgrades = 2

/** Returns the backup file. Throws a StartError if the backup fails. */
export async function backUpBefore({ db, config, at, migration }: Upgrading): Promise<string> {
  const folder = folderOf(config)
  try {
    const { name } = await makeBackup({ db, config, at, before: migration })
    const { own = [] } = await readState(db.q)
    for (const old of await selectSuperseded(folder, own)) rmSync(join(folder, old), { force: true })
    return join(folder, name)
  } catch (cause) {
    throw new StartError(
      `The database must be backed up before it is upgraded. ${describeBackupFailure(cause, folder)}. Free some space or set BACKUP_DIR to another folder, then start again.`,
      { cause },
    )
  }
}

async function backupBefore(config: UpgradeConfig, migration: string): Promise<string | undefined> {
  const [newest] = (await upgradesIn(folderOf(config))).filter(({ before }) => before === migration)
  return newest && join(folderOf(config), newest.name)
}

/** Our own backups that are superseded: older ones of a repeated upgrade, and all before the last two upgrades. */
async function selectSuperseded(folder: string, own: readonly string[]): Promise<string[]> {
  const all = (await upgradesIn(folder)).filter(({ name }) => own.includes(name))
  return [true, false].flatMap((isSealed) => {
    const newestFirst = all.filter(({ sealed }) => sealed === isSealed)
    const upgrades = [...new Set(newestFirst.map(({ before }) => before))].slice(0, keptUpgrades)
    const kept = upgrades.map((upgrade) => newestFirst.find(({ before }) => before === upgrade)?.name)
    return newestFirst.flatMap(({ name }) => (kept.includes(name) ? [] : name))
  })
}

async function upgradesIn(folder: string) {
  const whole = (await listBackups(folder)).filter(({ verified }) => verified)
  return whole.flatMap(({ name, sealed }) => {
    const before = readName(name)?.before
    return before !== undefined && isMigration(before) ? { name, sealed, before } : []
  })
}

/** Other backups were made before a restore; removing them is up to the operator. */
const isMigration = (before: string) => /^\d{4}-/.test(before)
