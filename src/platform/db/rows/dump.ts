import { sql } from 'kysely'
import type { Db, Queries } from '../open.ts'
import { digestTable } from '../sqlite/inspect.ts'
import { storableText } from '../storable.ts'

export type Row = Record<string, unknown>
const page = 1_000
/** Tables that other rows refer to, in the order in which they must be filled. */
const parents = ['users', 'entry']

/** Our tables, ordered so that rows follow those they refer to; without the tables of the migrator and of backups. */
export async function tablesOf({ kind, q }: Db): Promise<string[]> {
  const all =
    kind === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`
      : sql<{ name: string }>`select table_name as name from information_schema.tables
          where table_schema = current_schema() and table_type = 'BASE TABLE'`
  const { rows } = await all.execute(q)
  const names = rows.map(({ name }) => name).filter((name) => !name.startsWith('migration') && name !== digestTable)
  const rest = names.filter((name) => !parents.includes(name)).sort()
  return [...parents.filter((name) => names.includes(name)), ...rest]
}

/** Yields every row of a table within the current transaction, a page at a time; without generated columns. */
export async function* rowsOf(db: Pick<Db, 'kind' | 'q'>, table: string): AsyncIterable<Row> {
  const { kind, q } = db
  const columns = await columnsOf(db, table)
  if (kind === 'sqlite') {
    yield* q.withTables<Record<string, Row>>().selectFrom(table).select(columns).stream()
    return
  }
  const names = sql.join(columns.map((column) => sql.ref(column)))
  await sql`declare export_rows no scroll cursor for select ${names} from ${sql.table(table)}`.execute(q)
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(page)} from export_rows`.execute(q)
    yield* rows
    if (rows.length < page) break
  }
  await sql`close export_rows`.execute(q)
}

async function columnsOf({ kind, q }: Pick<Db, 'kind' | 'q'>, table: string): Promise<string[]> {
  const columns =
    kind === 'sqlite'
      ? sql<{ name: string }>`select name from pragma_table_xinfo(${table}) where hidden = 0`
      : sql<{ name: string }>`select column_name as name from information_schema.columns
          where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER'
          order by ordinal_position`
  return (await columns.execute(q)).rows.map(({ name }) => name)
}

/** Deletes every row of a table, even if its triggers forbid that; they are restored afterwards. */
export async function emptyTable({ kind, q }: Pick<Db, 'kind' | 'q'>, name: string): Promise<void> {
  const rules = kind === 'sqlite' ? await sqliteRules(q, name) : await postgresRules(q, name)
  await rules.lift()
  await sql`delete from ${sql.table(name)}`.execute(q)
  await rules.restore()
}

async function sqliteRules(q: Queries, table: string) {
  const { rows } = await sql<{ name: string; sql: string }>`
    select name, sql from sqlite_schema where type = 'trigger' and tbl_name = ${table}`.execute(q)
  return {
    async lift() {
      for (const { name } of rows) await sql`drop trigger ${sql.ref(name)}`.execute(q)
    },
    async restore() {
      for (const trigger of rows) await sql.raw(trigger.sql).execute(q)
    },
  }
}

async function postgresRules(q: Queries, table: string) {
  const { rows } = await sql`select 1 from pg_trigger where tgrelid = ${table}::regclass and not tgisinternal`.execute(
    q,
  )
  const set = (state: 'enable' | 'disable') => async () => {
    if (rows.length > 0) await sql`alter table ${sql.table(table)} ${sql.raw(state)} trigger user`.execute(q)
  }
  return { lift: set('disable'), restore: set('enable') }
}

export async function insertRows(
  { kind, q }: Pick<Db, 'kind' | 'q'>,
  table: string,
  rows: readonly Row[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  if (columns.length === 0) return
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => stored(kind, row[column])))})`)
  const names = sql.join(columns.map((column) => sql.ref(column)))
  await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(q)
}

/** SQLite has no booleans; PostgreSQL accepts 0 and 1 for one, but not every text. */
function stored(kind: Db['kind'], value: unknown) {
  if (kind === 'sqlite' && typeof value === 'boolean') return Number(value)
  return kind === 'postgres' && typeof value === 'string' ? storableText(value) : (value ?? null)
}
