import { createHash, type Hash } from 'node:crypto'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'

/** Excludes the tables of the migrator, of SQLite itself and of backups. */
const isData = (name: string) => !/^(?:sqlite_|migration)/.test(name) && name !== digestTable

export const tablesIn = (database: DatabaseSync): string[] =>
  database
    .prepare("select name from sqlite_schema where type = 'table' order by name")
    .all()
    .map(({ name }) => String(name))
    .filter(isData)

/** Returns a file's migrations and its number of rows by table. Throws unless it is an intact ToolBox database. */
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

/** The table that contains the hash of a backup's rows and schema from when it was made. */
export const digestTable = 'backup_digest'

export function writeDigest(file: string): void {
  const database = new DatabaseSync(file)
  try {
    database.exec(`drop table if exists ${digestTable}`)
    const digest = digestOf(database)
    database.exec(`create table ${digestTable} (sha256 text not null)`)
    database.prepare(`insert into ${digestTable} values (?)`).run(digest)
  } finally {
    database.close()
  }
}

/** Removes the stored hash. Throws an Error that names `from` if the content no longer matches it. */
export function checkDigest(file: string, from: string): void {
  const database = new DatabaseSync(file)
  try {
    const [row] = database.prepare('select 1 from sqlite_schema where name = ?').all(digestTable)
    // A backup from before digests existed, or a database that isn't a backup.
    if (!row) return
    const { sha256 } = Object(database.prepare(`select sha256 from ${digestTable}`).get())
    database.exec(`drop table ${digestTable}`)
    if (sha256 !== digestOf(database)) throw new Error(`${from} is damaged: its content has changed since it was made.`)
  } finally {
    database.close()
  }
}

function digestOf(database: DatabaseSync): string {
  const hash = createHash('sha256')
  const schema = database
    .prepare("select type, name, sql from sqlite_schema where name not like 'sqlite_%' order by type, name")
    .all()
  for (const { type, name, sql } of schema) {
    add(hash, [type ?? null, name ?? null, sql ?? null])
    if (type !== 'table') continue
    // Reads in the order of the table itself: an index may have another one.
    const rows = database.prepare(`select * from "${name}" not indexed`)
    rows.setReadBigInts(true)
    rows.setReturnArrays(true)
    for (const row of rows.iterate()) add(hash, Object.values(row))
  }
  return hash.digest('hex')
}

/** Hashes each value with its type and length, so that different rows never look alike. */
function add(hash: Hash, values: readonly SQLOutputValue[]): void {
  for (const value of values) {
    const bytes = value instanceof Uint8Array ? value : Buffer.from(String(value))
    hash.update(`${value === null ? 'null' : typeof value} ${bytes.length} `).update(bytes)
  }
}
