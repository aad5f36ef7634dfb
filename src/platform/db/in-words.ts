import type { Config } from '../config/config.ts'
import { folderInWords, isForbidden, isFull } from '../config/data-folder.ts'
import { NewerDatabase } from './migrate.ts'
import { unavailabilityOf } from './sqlite/error.ts'
import { DatabaseUnavailable, type Unavailability } from './unavailable.ts'

type Place = Pick<Config, 'databaseUrl' | 'dataDir'>

/** Why the database cannot be opened, and what the operator can do; undefined for an error that is not about that. */
export function databaseInWords(error: unknown, { databaseUrl, dataDir }: Place): string | undefined {
  const place = databaseUrl ? 'at DATABASE_URL' : `in ${dataDir}`
  if (error instanceof NewerDatabase)
    return `The database ${place} was created by a newer ToolBox (${error.migration}). Start that version, or restore a backup.`
  if (databaseUrl) return postgresInWords(error)
  const cause = error instanceof DatabaseUnavailable ? error.cause : error
  const why = unavailabilityOf(cause)
  return why ? sqliteInWords(why, cause, dataDir) : folderInWords(error, dataDir)
}

function sqliteInWords(why: Unavailability, cause: unknown, dataDir: string): string {
  const { errcode, message } = Object(cause)
  if (why === 'full') return isFull(dataDir)
  if (why === 'locked')
    return `The database in ${dataDir} is locked by another program. Close that program, then start again.`
  if (why === 'damaged')
    return `The database in ${dataDir} is damaged (${message}). Restore a backup with npm run toolbox -- restore FILE.`
  return (errcode & 0xff) === 10 ? `The disk of DATA_DIR ${dataDir} doesn't work (${message}).` : isForbidden(dataDir)
}

function postgresInWords(error: unknown): string | undefined {
  if (error instanceof DatabaseUnavailable && error.why === 'unreachable')
    return `The database at DATABASE_URL doesn't answer: ${Object(error.cause).message}`
  if (error instanceof DatabaseUnavailable) return error.message
  const { code, message } = Object(error)
  return code === '28P01' || code === '3D000'
    ? `The database at DATABASE_URL refused the connection: ${message}.`
    : undefined
}
