import { join, resolve } from 'node:path'
import * as z from 'zod'
import type { Config } from '../platform/config/config.ts'
import { atLeast, duration, text } from '../platform/config/values.ts'
import { hours, type Milliseconds } from '../shared/time.ts'

/** How many backups stay: the numbers of hours, days, weeks and months of which the newest stays. */
export type Keep = { h: number; d: number; w: number; m: number }

const keep = z.string().transform((given, context): Keep => {
  const parts = given.split(/[\s,]+|(?<=[a-z])(?=\d)/)
  const read = { h: 0, d: 0, w: 0, m: 0 }
  for (const part of parts) {
    const [, count, unit] = /^(\d{1,3})([hdwm])$/.exec(part) ?? []
    if (unit !== undefined) read[unit as keyof Keep] = Number(count)
    else {
      context.addIssue('must be counts of hours, days, weeks or months, such as 7d4w or 24h,7d,4w,12m')
      return z.NEVER
    }
  }
  return read
})

const every = z.string().transform((given, context): Milliseconds => {
  const read = given === '0' ? 0 : duration.safeParse(given).data
  if (read !== undefined) return read
  context.addIssue('must be a duration such as 24h, or 0 for no backups')
  return z.NEVER
})

/** Anyone who has the file can guess shorter ones. */
const shortestPassphrase = 8

export const backupVariables = z
  .object({
    BACKUP_EVERY: every.optional(),
    BACKUP_DIR: text.optional(),
    BACKUP_KEEP: keep.prefault('7d4w'),
    BACKUP_PASSPHRASE: atLeast(shortestPassphrase).optional(),
  })
  .transform((given) => ({
    /** 0 for no backups that are made by themselves; undefined if nobody has said. */
    backupEvery: given.BACKUP_EVERY,
    backupDir: given.BACKUP_DIR,
    backupKeep: given.BACKUP_KEEP,
    /** Seals backups; undefined for plain ones. */
    backupPassphrase: given.BACKUP_PASSPHRASE,
  }))
export type BackupsConfig = Readonly<z.infer<typeof backupVariables>>

/** How often backups are made, 0 for never: unless somebody says so, only of an embedded database, since PostgreSQL has its own tools. */
export const everyOf = ({ backupEvery, databaseUrl }: BackupsConfig & Pick<Config, 'databaseUrl'>): Milliseconds =>
  backupEvery ?? (databaseUrl ? 0 : hours(24))

/** The folder of the backups; it need not exist. */
export const folderOf = ({ backupDir, dataDir }: Pick<BackupsConfig, 'backupDir'> & Pick<Config, 'dataDir'>): string =>
  backupDir === undefined ? join(dataDir, 'backups') : resolve(backupDir)
