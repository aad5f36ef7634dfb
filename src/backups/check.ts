import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type CheckResult, ok, warning } from '../platform/check-result.ts'
import type { Config } from '../platform/config/config.ts'
import type { Db } from '../platform/db/open.ts'
import { hours, type Instant } from '../shared/time.ts'
import { type BackupsConfig, backupIntervalOf, folderOf } from './config.ts'
import { describeBackupFailure, requireDiskSpace } from './failure.ts'
import { freeBytes, listBackups } from './folder.ts'
import { readState } from './state.ts'

/** Checks that backups are on, recent and undamaged, and that there is disk space for the next one. */
export async function checkBackups(db: Db, config: Config & BackupsConfig, now: Instant): Promise<CheckResult[]> {
  const folder = folderOf(config)
  const damaged = (await listBackups(folder)).filter(({ verified }) => !verified)
  const { failed } = await readState(db.q)
  return [
    await checkLastBackup(db, config, now),
    ...(failed ? [warning(`The last backup failed: ${failed.why}.`, retryHint)] : []),
    ...damaged.map(({ name }) => warning(`The backup ${name} is damaged.`, `Delete it from ${folder}.`)),
    await checkRoom(db, folder),
  ]
}

export async function checkLastBackup(
  db: Pick<Db, 'q' | 'isShared'>,
  config: Config & BackupsConfig,
  now: Instant,
): Promise<CheckResult> {
  const every = backupIntervalOf(config)
  if (every === 0) return checkDisabled(db)
  const { last } = await readState(db.q)
  return checkAge(last?.at ?? (await listBackups(folderOf(config)))[0]?.time, every, now)
}

const retryHint = 'Fix that, then try: npm run toolbox -- backups make'

const checkDisabled = ({ isShared }: Pick<Db, 'isShared'>): CheckResult =>
  isShared
    ? ok('Backups are left to PostgreSQL, such as pg_dump.')
    : warning('No backups are made: BACKUP_EVERY is 0.', 'Set it to 24h, or copy the data some other way.')

function checkAge(last: Instant | undefined, every: number, now: Instant): CheckResult {
  if (last === undefined) return warning('There is no backup yet.', 'Make one: npm run toolbox -- backups make')
  const at = `${new Date(last).toISOString().slice(0, 19).replace('T', ' ')} UTC`
  if (now - last <= 2 * every + hours(1)) return ok(`The last backup is from ${at}.`)
  return warning(
    `The last backup is from ${at}, although BACKUP_EVERY asks for more.`,
    'See the log for the reason, or try: npm run toolbox -- backups make',
  )
}

async function checkRoom(db: Db, folder: string): Promise<CheckResult> {
  if (existsSync(folder) && !statSync(folder).isDirectory())
    return warning(`${folder} is not a folder.`, 'Set BACKUP_DIR to the folder of the backups.')
  try {
    accessSync(above(folder), constants.R_OK | constants.W_OK)
    await requireDiskSpace([{ folder: above(folder), bytes: (await db.diskUsage()).used }], freeBytes)
    return ok('There is disk space for the next backup.')
  } catch (error) {
    return warning(`${describeBackupFailure(error, folder)}.`, 'Free some space, or set BACKUP_DIR to another disk.')
  }
}

const above = (folder: string): string => (existsSync(folder) ? folder : above(dirname(folder)))
