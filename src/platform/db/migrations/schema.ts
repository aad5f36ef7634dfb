import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Db } from '../open.ts'

/** SQL fragments for migrations that differ between the databases. */
export type Schema = {
  /** Only for platform/db: other code uses the members below. */
  kind: Db['kind']
  isShared: boolean
  /** The type of 64-bit integers: instants, counts and sizes. */
  int: string
  /** The type of 0, 1 and other small numbers. */
  flag: string
  /** The types of instants and booleans as Better Auth stores them. */
  timestamp: string
  boolean: string
  /** The clause for a table whose rows are looked up only by key: SQLite then needs no second tree. */
  byKey: string
  /** The same for counters: free space in PostgreSQL's pages allows updates in place, without touching an index. */
  counters: string
  /** The current time in epoch milliseconds. */
  now: string
  /** Adds a column that PostgreSQL fills with each new row's number, 0 in old rows. On SQLite the insert sets it. */
  addNumber(table: string, column: string): readonly string[]
  /** The second and third part of a text with slashes, with the slash between them. */
  secondAndThird(column: string): string
}

const sqlite: Schema = {
  kind: 'sqlite',
  isShared: false,
  int: 'integer',
  flag: 'integer',
  timestamp: 'text',
  boolean: 'integer',
  byKey: 'without rowid',
  counters: 'without rowid',
  now: "cast(unixepoch('subsec') * 1000 as integer)",
  addNumber: (table, column) => [`alter table ${table} add column ${column} integer not null default 0`],
  secondAndThird(column) {
    const after = (text: string) => `substr(${text}, instr(${text}, '/') + 1)`
    const [second, third] = [after(column), after(after(column))]
    return `case when instr(${second}, '/') > 0 and instr(${third}, '/') > 0
      then substr(${second}, 1, instr(${second}, '/') + instr(${third}, '/') - 1) else ${second} end`
  },
}

const postgres: Schema = {
  kind: 'postgres',
  isShared: true,
  int: 'bigint',
  flag: 'smallint',
  timestamp: 'timestamptz',
  boolean: 'boolean',
  byKey: '',
  counters: 'with (fillfactor = 70)',
  now: 'cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)',
  addNumber: (table, column) => [
    `create sequence ${table}_${column}`,
    `alter table ${table} add column ${column} bigint not null default 0`,
    `alter table ${table} alter column ${column} set default nextval('${table}_${column}')`,
    `alter sequence ${table}_${column} owned by ${table}.${column}`,
  ],
  secondAndThird: (column) => `rtrim(split_part(${column}, '/', 2) || '/' || split_part(${column}, '/', 3), '/')`,
}

/** Migrations by name; they run in the order of their names. Never edit one after a release. */
export type Migrations = Readonly<Record<string, (schema: Schema) => Migration>>

export const schemaOf = (kind: Db['kind']): Schema => ({ sqlite, postgres })[kind]

export const runAll = (statements: readonly string[]): Migration => ({
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
})
