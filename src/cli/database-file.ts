import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { migrationNames } from '../migrations.ts'
import type { Config } from '../platform/config/config.ts'
import { inspect } from '../platform/db/sqlite/copy/inspect.ts'

/** The path of SQLite's file. Throws if the installation uses PostgreSQL. */
export function databaseFile(config: Config): string {
  if (!config.databaseUrl) return join(config.dataDir, 'toolbox.db')
  throw new Error('This installation uses PostgreSQL. Use pg_dump and pg_restore, or export and import.')
}

/** Throws unless the file is an intact database that this version of ToolBox can use. */
export function mustBeOurs(file: string): void {
  if (!existsSync(file)) throw new Error(`${file} does not exist.`)
  const unknown = inspect(file).migrations.find((name) => !migrationNames.includes(name))
  if (unknown) throw new Error(`${file} was written by a newer ToolBox (${unknown}).`)
}
