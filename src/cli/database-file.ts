import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { migrationNames } from '../migrations.ts'
import type { Config } from '../platform/config/config.ts'
import { unavailabilityOf } from '../platform/db/sqlite/error.ts'

/** The path of SQLite's file. Throws if the installation uses PostgreSQL. */
export function databaseFile(config: Config): string {
  if (!config.databaseUrl) return join(config.dataDir, 'toolbox.db')
  throw new Error('This installation uses PostgreSQL. Use pg_dump and pg_restore, or export and import.')
}

/** Makes a consistent copy in one new file while writers go on; it is the owner's alone from its first byte. */
export function copyDatabase(from: string, to: string): void {
  const database = new DatabaseSync(from, { readOnly: true, timeout: 5_000 })
  try {
    closeSync(openSync(to, 'wx', 0o600))
    database.prepare('vacuum into ?').run(to)
  } catch (cause) {
    const why = unavailabilityOf(cause)
    if (why === 'damaged') throw new Error(`${from} is damaged (${Object(cause).message}).`, { cause })
    if (why === 'full') throw new Error(`Not enough disk space for ${to}.`, { cause })
    throw cause
  } finally {
    database.close()
  }
  sync(to)
}

/** Waits until a file, or the names in a folder, are on disk. */
export function sync(path: string): void {
  const handle = openSync(path, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

/** Throws unless the file is an intact database that this version of ToolBox can use. */
export function mustBeOurs(file: string): void {
  if (!existsSync(file)) throw new Error(`${file} does not exist.`)
  const names = migrationsIn(file)
  const unknown = names.find((name) => !migrationNames.includes(name))
  if (unknown) throw new Error(`${file} was written by a newer ToolBox (${unknown}).`)
}

function migrationsIn(file: string): string[] {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true })
    const [{ integrity_check: state } = {}] = database.prepare('pragma integrity_check(1)').all()
    if (state !== 'ok') throw new Error(String(state))
    database.prepare('select id, email from users limit 1').all()
    database.prepare('select id, tool, settings from entry limit 1').all()
    return database
      .prepare('select name from migration')
      .all()
      .map(({ name }) => String(name))
  } catch (cause) {
    throw new Error(`${file} is not a valid ToolBox database.`, { cause })
  } finally {
    database?.close()
  }
}
