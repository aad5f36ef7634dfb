import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { everyOf, folderOf } from '../../backups/config.ts'
import { freeBytes, listBackups } from '../../backups/folder.ts'
import { whyFailed } from '../../backups/refused.ts'
import { insistOnRoom } from '../../backups/room.ts'
import { lastBackupAt } from '../../backups/state.ts'
import type { AppConfig } from '../../config.ts'
import type { Db } from '../../platform/db/open.ts'
import { hours, type Instant } from '../../shared/time.ts'
import { type Finding, ok, warning } from './finding.ts'

/** Whether backups are made, are recent and whole, and whether there is room for the next one. */
export async function checkBackups(db: Db, config: AppConfig, now: Instant): Promise<Finding[]> {
  const folder = folderOf(config)
  const every = everyOf(config)
  const backups = await listBackups(folder)
  const damaged = backups.filter(({ verified }) => !verified)
  return [
    ...(every === 0 ? [notMade(db)] : [age((await lastBackupAt(db.q)) ?? backups[0]?.time, every, now)]),
    ...damaged.map(({ name }) => warning(`The backup ${name} is damaged.`, `Delete it from ${folder}.`)),
    await room(db, folder),
  ]
}

const notMade = ({ isShared }: Db): Finding =>
  isShared
    ? ok('Backups are left to PostgreSQL, such as pg_dump.')
    : warning('No backups are made: BACKUP_EVERY is 0.', 'Set it to 24h, or copy the data some other way.')

function age(last: Instant | undefined, every: number, now: Instant): Finding {
  if (last === undefined) return warning('There is no backup yet.', 'Make one: npm run toolbox -- backups make')
  const at = `${new Date(last).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  if (now - last <= 2 * every + hours(1)) return ok(`The last backup is from ${at}.`)
  return warning(
    `The last backup is from ${at}, although BACKUP_EVERY asks for more.`,
    'See the log for the reason, or try it: npm run toolbox -- backups make',
  )
}

async function room(db: Db, folder: string): Promise<Finding> {
  try {
    await insistOnRoom([{ folder: above(folder), bytes: (await db.room()).used }], freeBytes)
    return ok('There is disk space for the next backup.')
  } catch (error) {
    return warning(`${whyFailed(error, folder)}.`, 'Free some space, or set BACKUP_DIR to another disk.')
  }
}

/** A folder that exists. */
const above = (folder: string): string => (existsSync(folder) ? folder : above(dirname(folder)))
