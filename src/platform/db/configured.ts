import type { Config } from '../config/config.ts'
import { describeFolderError, diskFullMessage, noAccessMessage } from '../config/data-folder.ts'
import { StartError } from '../config/env.ts'
import { NewerDatabase } from './migrations/migrate.ts'
import type { Db } from './open.ts'
import { findSetupProblem, openPostgres, type PostgresOptions } from './postgres/open.ts'
import { unboundedLimits } from './postgres/pool.ts'
import { unavailabilityOf } from './sqlite/execute.ts'
import { lockFolder, openSqlite } from './sqlite/open.ts'
import { DatabaseUnavailable, type Unavailability } from './unavailable.ts'

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'dataDir'> & Partial<Pick<Config, 'databaseUrlDirect'>>

export const openDatabase = (
  { databaseUrl, databaseUrlDirect: directUrl, dataDir }: DatabaseConfig,
  options?: Pick<PostgresOptions, 'onSilence'>,
): Db => (databaseUrl ? openPostgres(databaseUrl, { ...options, directUrl }) : openSqlite(dataDir))

/** Opens the database for work without a time limit, such as migrations and exports. Bypasses a pooler if possible. */
export function openWithoutTimeLimit({ databaseUrl, databaseUrlDirect, dataDir }: DatabaseConfig): Db {
  const url = databaseUrlDirect ?? databaseUrl
  return url ? openPostgres(url, { limits: unboundedLimits }) : openSqlite(dataDir, unboundedLimits)
}

/** Throws a StartError with instructions if PostgreSQL, or a pooler in front of it, isn't set up for ToolBox. */
export async function requireUsable({ kind, q }: Db): Promise<void> {
  const obstacle = kind === 'postgres' && (await findSetupProblem(q))
  if (obstacle) throw new StartError(obstacle)
}

/** Makes this process the only one on an embedded database until the result is called. Throws a StartError. */
export const lockDatabase = ({ databaseUrl, dataDir }: DatabaseConfig): (() => void) =>
  databaseUrl ? () => {} : lockFolder(dataDir)

/** Explains why the database can't be opened and what to do, such as restore `backup`; undefined for other errors. */
export function describeDatabaseError(
  error: unknown,
  { databaseUrl, dataDir }: DatabaseConfig,
  backup?: string,
): string | undefined {
  const place = databaseUrl ? 'at DATABASE_URL' : `in ${dataDir}`
  if (error instanceof NewerDatabase) {
    const by = [error.version, error.migration].filter(Boolean).join(', ')
    const source = backup
      ? `the backup made before its upgrade: npm run toolbox -- restore ${quoted(backup)}`
      : 'a backup.'
    return `The database ${place} was created by a newer ToolBox (${by}). Start that version, or restore ${source}`
  }
  if (databaseUrl) return describePostgresError(error)
  const cause = error instanceof DatabaseUnavailable ? error.cause : error
  const why = unavailabilityOf(cause)
  return why ? describeSqliteError(why, cause, dataDir) : describeFolderError(error, dataDir)
}

const quoted = (file: string) => (/^[\w/.:\\-]+$/.test(file) ? file : `"${file}"`)

function describeSqliteError(why: Unavailability, cause: unknown, dataDir: string): string {
  const { errcode, message } = Object(cause)
  if (why === 'full') return diskFullMessage(dataDir)
  if (why === 'locked')
    return `The database in ${dataDir} is locked by another program. Close that program, then start again.`
  if (why === 'damaged')
    return `The database in ${dataDir} is damaged (${message}). Restore a backup with npm run toolbox -- restore FILE.`
  return (errcode & 0xff) === 10
    ? `The disk of DATA_DIR ${dataDir} doesn't work (${message}).`
    : noAccessMessage(dataDir)
}

function describePostgresError(error: unknown): string | undefined {
  if (!(error instanceof DatabaseUnavailable)) return undefined
  const { message } = Object(error.cause)
  if (error.why === 'unreachable') return `The database at DATABASE_URL doesn't answer: ${message}`
  if (error.why === 'refused')
    return `The database at DATABASE_URL refuses ToolBox: ${message}. docs/scale.md says how to create it.`
  return error.message
}
