import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Config } from '../platform/config/config.ts'
import type { Db } from '../platform/db/open.ts'
import { type Finding, ok, warning } from '../platform/finding.ts'
import { hours, type Instant } from '../shared/time.ts'
import { type BackupsConfig, everyOf, folderOf } from './config.ts'
import { freeBytes, listBackups } from './folder.ts'
import { insistOnRoom, whyFailed } from './refused.ts'
import { readState } from './state.ts'

/** Checks that backups are on, recent and undamaged, and that there is disk space for the next one. */
export async function checkBackups(db: Db, config: Config & BackupsConfig, now: Instant): Promise<Finding[]> {
  const folder = folderOf(config)
  const damaged = (await listBackups(folder)).filter(({ verified }) => !verified)
  const { failed } = await readState(db.q)
  return [
    await checkLastBackup(db, config, now),
    ...(failed ? [warning(`The last backup failed: ${failed.why}.`, tryIt)] : []),
    ...damaged.map(({ name }) => warning(`The backup ${name} is damaged.`, `Delete it from ${folder}.`)),
    await room(db, folder),
  ]
}

export async function checkLastBackup(
  db: Pick<Db, 'q' | 'isShared'>,
  config: Config & BackupsConfig,
  now: Instant,
): Promise<Finding> {
  const every = everyOf(config)
  if (every === 0) return notMade(db)
  const { last } = await readState(db.q)
  return age(last?.at ?? (await listBackups(folderOf(config)))[0]?.time, every, now)
}

const tryIt = 'Fix that, then try: npm run toolbox -- backups make'

const notMade = ({ isShared }: Pick<Db, 'isShared'>): Finding =>
  isShared
    ? ok('Backups are left to PostgreSQL, such as pg_dump.')
    : warning('No backups are made: BACKUP_EVERY is 0.', 'Set it to 24h, or copy the data some other way.')

function age(last: Instant | undefined, every: number, now: Instant): Finding {
  if (last === undefined) return warning('There is no backup yet.', 'Make one: npm run toolbox -- backups make')
  const at = `${new Date(last).toISOString().slice(0, 19).replace('T', ' ')} UTC`
  if (now - last <= 2 * every + hours(1)) return ok(`The last backup is from ${at}.`)
  return warning(
    `The last backup is from ${at}, although BACKUP_EVERY asks for more.`,
    'See the log for the reason, or try: npm run toolbox -- backups make',
  )
}

async function room(db: Db, folder: string): Promise<Finding> {
  if (existsSync(folder) && !statSync(folder).isDirectory())
    return warning(`${folder} is not a folder.`, 'Set BACKUP_DIR to the folder of the backups.')
  try {
    accessSync(above(folder), constants.R_OK | constants.W_OK)
    await insistOnRoom([{ folder: above(folder), bytes: (await db.room()).used }], freeBytes)
    return ok('There is disk space for the next backup.')
  } catch (error) {
    return warning(`${whyFailed(error, folder)}.`, 'Free some space, or set BACKUP_DIR to another disk.')
  }
}

const above = (folder: string): string => (existsSync(folder) ? folder : above(dirname(folder)))
