import { DatabaseSync } from 'node:sqlite'
import { digestTable } from './digest.ts'

/** Tables that are not data: the migrator's, SQLite's own and a backup's. */
const isData = (name: string) => !/^(?:sqlite_|migration)/.test(name) && name !== digestTable

/** The names of all tables of data. */
export const tablesIn = (database: DatabaseSync): string[] =>
  database
    .prepare("select name from sqlite_schema where type = 'table' order by name")
    .all()
    .map(({ name }) => String(name))
    .filter(isData)

/** The migrations that a file has been through, and how many rows each of its tables holds. Throws unless it is an intact database of ToolBox. */
export function inspect(file: string): { migrations: string[]; rows: Record<string, number> } {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true })
    const [{ integrity_check: state } = {}] = database.prepare('pragma integrity_check(1)').all()
    if (state !== 'ok') throw new Error(String(state))
    database.prepare('select id, email from users limit 1').all()
    database.prepare('select id, tool, settings from entry limit 1').all()
    const names = database.prepare('select name from migration order by name').all()
    const count = (table: string) =>
      Number(Object(database?.prepare(`select count(*) as count from "${table}"`).get()).count)
    return {
      migrations: names.map(({ name }) => String(name)),
      rows: Object.fromEntries(tablesIn(database).map((table) => [table, count(table)])),
    }
  } catch (cause) {
    throw new Error(`${file} is not a valid ToolBox database.`, { cause })
  } finally {
    database?.close()
  }
}

export const total = (rows: Readonly<Record<string, number>>): number =>
  Object.values(rows).reduce((sum, count) => sum + count, 0)
