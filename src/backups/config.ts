import { join, resolve } from 'node:path'
import * as z from 'zod'
import type { Config } from '../platform/config/config.ts'
import { atLeast, duration, text } from '../platform/config/values.ts'
import { hours, type Milliseconds } from '../shared/time.ts'

/** For how many hours, days, weeks and months the newest backup of each is kept. */
export type Retention = { h: number; d: number; w: number; m: number }

const keep = z.string().transform((input, context): Retention => {
  const parts = input.split(/[\s,]+|(?<=[a-z])(?=\d)/)
  const read = { h: 0, d: 0, w: 0, m: 0 }
  for (const part of parts) {
    const [, count, unit] = /^(\d{1,3})([hdwm])$/.exec(part) ?? []
    if (unit !== undefined) read[unit as keyof Retention] = Number(count)
    else {
      context.addIssue('must be counts of hours, days, weeks or months, such as 7d4w or 24h,7d,4w,12m')
      return z.NEVER
    }
  }
  return read
})

const every = z.string().transform((input, context): Milliseconds => {
  const read = input === '0' ? 0 : duration.safeParse(input).data
  if (read !== undefined) return read
  context.addIssue('must be a duration such as 24h, or 0 for no backups')
  return z.NEVER
})

/** In characters. With a stolen file at hand, a shorter passphrase can be guessed. */
const shortestPassphrase = 8

export const backupVariables = z
  .object({
    BACKUP_EVERY: every.optional(),
    BACKUP_DIR: text.optional(),
    BACKUP_KEEP: keep.prefault('7d4w'),
    BACKUP_PASSPHRASE: atLeast(shortestPassphrase).optional(),
  })
  .transform((variables) => ({
    /** 0 turns automatic backups off; undefined if not configured. */
    backupEvery: variables.BACKUP_EVERY,
    backupDir: variables.BACKUP_DIR,
    backupKeep: variables.BACKUP_KEEP,
    /** Encrypts backups; undefined for unencrypted ones. */
    backupPassphrase: variables.BACKUP_PASSPHRASE,
  }))
export type BackupsConfig = Readonly<z.infer<typeof backupVariables>>

/** Time between backups; 0 for none, which is the default for PostgreSQL, since it has its own backup tools. */
export const backupIntervalOf = ({
  backupEvery,
  databaseUrl,
}: BackupsConfig & Pick<Config, 'databaseUrl'>): Milliseconds => backupEvery ?? (databaseUrl ? 0 : hours(24))

/** The backup folder, which may not exist yet. */
export const folderOf = ({ backupDir, dataDir }: Pick<BackupsConfig, 'backupDir'> & Pick<Config, 'dataDir'>): string =>
  backupDir === undefined ? join(dataDir, 'backups') : resolve(backupDir)
