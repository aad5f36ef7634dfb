import { resolve } from 'node:path'
import { type AppConfig, variables } from '../config.ts'
import { readConfig } from '../platform/config/config.ts'
import { StartError } from '../platform/config/env.ts'
import { databaseInWords } from '../platform/db/in-words.ts'
import type { Db } from '../platform/db/open.ts'
import { openPostgres } from '../platform/db/postgres/open.ts'
import { patientLimits } from '../platform/db/postgres/pool.ts'
import { openSqlite } from '../platform/db/sqlite/open.ts'

/** What the shell lends to a command. */
export type Terminal = {
  env: NodeJS.ProcessEnv
  /** The working folder: `.env` and a relative DATA_DIR lie here. */
  folder: string
  say: (line: string) => void
}
/** A command of the operator. Throws UsageError for words it does not take, any other error when it cannot be done. */
export type Command = (args: string[], terminal: Terminal) => Promise<void>

/** The operator's words do not make a command. */
export class UsageError extends Error {}

/** A file the operator named, from the folder in which npm was called. */
const fileNamed = (name: string, { env, folder }: Terminal): string => resolve(env.INIT_CWD ?? folder, name)

/** Exactly one word, the name of a file. */
export function onlyFile(words: string[], terminal: Terminal): string {
  const [name, ...more] = words
  if (!name || more.length > 0) throw new UsageError('Enter exactly one FILE.')
  return fileNamed(name, terminal)
}

/** Lends the configured database to some work, which takes as long as it takes, and closes it. */
export async function withDatabase<T>(terminal: Terminal, work: (db: Db, config: AppConfig) => Promise<T>): Promise<T> {
  const config = readConfig(variables, terminal.env, terminal.folder)
  try {
    const db = config.databaseUrl
      ? openPostgres(config.databaseUrl, { limits: patientLimits })
      : openSqlite(config.dataDir)
    try {
      return await work(db, config)
    } finally {
      await db.close()
    }
  } catch (error) {
    const words = databaseInWords(error, config)
    throw words ? new StartError(words, { cause: error }) : error
  }
}
