import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { AppConfig } from '../config.ts'
import { toListItems } from '../entries/show.ts'
import { entryStore } from '../entries/store.ts'
import type { SettingsContext } from '../entries/tool-server.ts'
import { migrationNames } from '../migrations.ts'
import { commandLine, writeAudit } from '../people/audit/log.ts'
import { parseRoles } from '../people/store.ts'
import { openSecrets, verifySecret } from '../platform/crypto/secrets.ts'
import { lockDatabase } from '../platform/db/configured.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { emptyTable, insertRows, type Row, tablesOf } from '../platform/db/rows/dump.ts'
import { End, Head } from '../platform/db/rows/rows-file.ts'
import { entryTools, serverTools } from '../server-tools.ts'
import { upgrade } from '../upgrade.ts'
import { type Command, configOf, parseFileArgument, withDatabase } from './terminal.ts'

const Line = z.object({ table: z.string(), row: z.record(z.string(), z.unknown()) })

const batchSize = 200
/** Every installation fills these at its first start, so they don't count as existing data. */
const ownTables = ['setting', 'setup_link', 'rate_limits', 'verifications']

/** Fills the configured database from FILE, completely or not at all. */
export const importRows: Command = async (args, terminal) => {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { replace: { type: 'boolean' } } })
  const file = parseFileArgument(positionals, terminal)
  if (!existsSync(file)) throw new Error(`${file} does not exist.`)
  // A running server relies on cached data of its embedded database.
  const release = lockDatabase(configOf(terminal))
  try {
    const count = await withDatabase(terminal, async (db, config) => {
      await upgrade({ db, config, at: Date.now(), say: terminal.say })
      return replaceAll({ db, config }, file, { isAgreed: values.replace === true, isBackup: false })
    })
    terminal.say(`Imported ${count} rows from ${file}.`)
  } finally {
    release()
  }
}

/** Throws if there are rows, unless `isAgreed`. A backup is neither validated nor logged. */
export async function replaceAll(
  { db, config }: { db: Db; config: AppConfig },
  file: string,
  { isAgreed, isBackup }: { isAgreed: boolean; isBackup: boolean },
): Promise<number> {
  const tables = await tablesOf(db)
  return db.q.transaction().execute(async (q) => {
    const filled = await filledTable(q, tables)
    if (filled && !isAgreed) throw new Error(`This database already contains ${filled}. Use --replace to delete them.`)
    for (const table of tables.toReversed()) await emptyTable({ ...db, q }, table)
    const rows = await fill({ ...db, q }, tables, file)
    for (const tool of serverTools) await tool.afterImport?.(q, db)
    const secrets = openSecrets(config)
    await verifySecret({ q }, secrets)
    if (isBackup) return rows
    const target = { id: null, name: basename(file) }
    await writeAudit(q, Date.now(), { actor: commandLine, action: 'data.import', target })
    await checkEntries({ config, db: { ...db, q }, secrets, now: Date.now }, file)
    return rows
  })
}

async function filledTable(q: Queries, tables: readonly string[]): Promise<string | undefined> {
  for (const table of tables.filter((name) => !ownTables.includes(name))) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(q)
    if (rows.length > 0) return table
  }
  return undefined
}

async function fill(db: Db, tables: readonly string[], file: string): Promise<number> {
  const batch: { table: string; rows: Row[] } = { table: '', rows: [] }
  const flush = async () => {
    await insertRows(db, batch.table, batch.rows)
    batch.rows = []
  }
  const hash = createHash('sha256')
  let [count, lines, isComplete, first] = [0, 0, false, true]
  for await (const text of linesOf(file)) {
    lines += 1
    const value = parseLine(text, file)
    if (first) checkHead(value, file)
    else if (Line.safeParse(value).success) {
      const { table, row } = Line.parse(value)
      if (!tables.includes(table)) throw new Error(`${file} contains rows of an unknown table, ${table}.`)
      if (table === 'users') checkRoles(row, file)
      checkRow(table, row, `${file}, line ${lines}`)
      if (table !== batch.table || batch.rows.length >= batchSize) await flush()
      batch.table = table
      batch.rows.push(row)
      count += 1
    } else {
      const end = End.safeParse(value).data
      isComplete = end?.rows === count
      if (end?.sha256 !== undefined && end.sha256 !== hash.copy().digest('hex'))
        throw new Error(`${file} is damaged, or was edited: its lines don't match the sha256 in the last one.`)
    }
    hash.update(`${text}\n`)
    first = false
  }
  await flush()
  if (!isComplete) throw new Error(`${file} is incomplete: its last line is missing or its row count doesn't match.`)
  return count
}

/** In characters; far longer than any row. */
const longestLine = 16_000_000

/** Yields the lines of a file, split only at line feeds: JSON may contain other characters that readline splits at. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(file, 'utf8')) {
    const [first = '', ...others] = String(chunk).split('\n')
    rest += first
    if (rest.length > longestLine)
      throw new Error(`${file} is not a ToolBox export: it contains a line that is too long.`)
    for (const next of others) {
      yield rest
      rest = next
    }
  }
  if (rest !== '') yield rest
}

function checkRoles({ id, roles }: Row, file: string): void {
  try {
    parseRoles(String(roles))
  } catch (cause) {
    throw new Error(`${file} contains an invalid user, ${id}: roles must be levels from 0 to 2.`, { cause })
  }
}

/** Throws if the row contains values that no tool would have written. */
function checkRow(table: string, row: Row, place: string): void {
  for (const tool of serverTools) {
    const why = tool.refuseRow?.(table, row)
    if (why) throw new Error(`${place}, has an invalid row of ${table}: ${why}`)
  }
}

/** Throws if an imported entry can't be shown in a list. */
async function checkEntries(context: SettingsContext, file: string): Promise<void> {
  for (const tool of entryTools)
    for await (const page of entryStore(context.db).pages(tool.contract.id)) {
      const [bad] = (await toListItems(tool, page, context)).unreadable
      if (bad) throw new Error(`${file} contains an invalid ${tool.contract.noun}, ${bad.id}: ${bad.why}`)
    }
}

function parseLine(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${file} is not a ToolBox export: it contains a line that is not JSON.`, { cause })
  }
}

function checkHead(value: unknown, file: string): void {
  const names = Head.safeParse(value).data?.toolbox
  if (!names) throw new Error(`${file} is not a ToolBox export.`)
  if (names.join() !== migrationNames.join())
    throw new Error(
      `${file} was written by another version of ToolBox (${names.at(-1)}; this one has ${migrationNames.at(-1)}).`,
    )
}
