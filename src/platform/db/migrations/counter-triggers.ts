import { type RawBuilder, sql } from 'kysely'
import { rowLock } from '../locks.ts'
import type { Schema } from './schema.ts'

/** Sums over the rows of one table, stored in the rows of another. */
export type CounterDefinition = {
  /** The prefix of the triggers' names. */
  name: string
  of: string
  into: string
  /** The column of both tables that determines for which row of `into` a row counts. */
  key: string
  /** By column of `into`: the SQL of what a row adds, with `row` before its columns. */
  adds: Readonly<Record<string, (row: '' | 'new.' | 'old.') => string>>
  /** The columns of `of` on which `adds` depends. */
  by: readonly string[]
}

/** Triggers with which the database maintains the sums, whichever program writes. */
export const counterTriggers = ({ kind }: Schema, sums: CounterDefinition): readonly RawBuilder<unknown>[] =>
  kind === 'sqlite' ? rowTriggers(sums) : statementTriggers(sums)

/** Drops SQLite's insert trigger, which costs half an insert: `insertNew` counts its rows, other writers recompute. */
export const dropInsertTrigger = ({ kind }: Schema, { name }: CounterDefinition): readonly string[] =>
  kind === 'sqlite' ? [`drop trigger ${name}_0`] : []

/** The SQLite statement that counts the rows from a given rowid on. */
export function addInsertedSql({ of, into, key, adds }: CounterDefinition): string {
  const columns = Object.entries(adds)
  const each = columns.map(([column, add]) => `${add('')} as ${column}`)
  const all = columns.map(([column]) => `sum(${column}) as ${column}`)
  const changes = columns.map(([column]) => `${column} = ${into}.${column} + changed.${column}`)
  // If not materialized, SQLite would read all rows in the order of their keys.
  return `with added as materialized (select ${key}, ${each} from ${of} where rowid >= ?),
    changed as (select ${key}, ${all} from added group by ${key})
    update ${into} set ${changes} from changed where ${into}.${key} = changed.${key}`
}

export const recountSql = ({ of, into, key, adds }: CounterDefinition): string =>
  `update ${into} set ${Object.entries(adds)
    .map(
      ([column, add]) =>
        `${column} = (select coalesce(sum(${add('')}), 0) from ${of} where ${of}.${key} = ${into}.${key})`,
    )
    .join(', ')}`

/** SQLite's triggers run once per row. */
function rowTriggers({ name, of, into, key, adds, by }: CounterDefinition) {
  const count = (sign: '+' | '-', row: 'new.' | 'old.') => {
    const changes = Object.entries(adds).map(([column, add]) => `${column} = ${column} ${sign} ${add(row)}`)
    return `update ${into} set ${changes.join(', ')} where ${key} = ${row}${key};`
  }
  const isChanged = by.map((column) => `old.${column} <> new.${column}`).join(' or ')
  return [
    `insert on ${of} begin ${count('+', 'new.')} end`,
    `delete on ${of} begin ${count('-', 'old.')} end`,
    `update of ${by.join(', ')} on ${of} when ${isChanged} begin ${count('-', 'old.')} ${count('+', 'new.')} end`,
  ].map((trigger, n) => sql.raw(`create trigger ${name}_${n} after ${trigger}`))
}

/** PostgreSQL's triggers count a statement's rows together, and lock the rows they change in the order of job locks. */
function statementTriggers({ name, of, into, key, adds }: CounterDefinition) {
  const columns = Object.keys(adds)
  const each = (form: (column: string) => string, between = ', ') => columns.map(form).join(between)
  const rows = (sign: '' | '-', table: 'added' | 'gone') =>
    `select ${key}, ${each((column) => `${sign}(${adds[column]?.('')}) as ${column}`)} from ${table}`
  const counting = (event: 'insert' | 'update' | 'delete', tables: string, changes: string) => [
    sql`create function ${sql.raw(`${name}_${event}`)}() returns trigger language plpgsql as $$ begin
      with changed as (
        select ${sql.raw(`${key}, ${each((column) => `sum(${column}) as ${column}`)} from (${changes}) as rows
        group by ${key} having ${each((column) => `sum(${column}) <> 0`, ' or ')}`)}),
      locked as materialized (
        select changed.* from changed join ${sql.raw(`${into} using (${key}) order by ${into}.${key} desc`)}
        ${rowLock({ kind: 'postgres' }, 'no key update', { of: [into] })})
      update ${sql.raw(`${into} set ${each((column) => `${column} = ${into}.${column} + locked.${column}`)}
      from locked where ${into}.${key} = locked.${key}`)};
      return null;
    end $$`,
    sql.raw(`create trigger ${name}_${event} after ${event} on ${of} referencing ${tables}
      for each statement execute function ${name}_${event}()`),
  ]
  return [
    ...counting('insert', 'new table as added', rows('', 'added')),
    ...counting('delete', 'old table as gone', rows('-', 'gone')),
    ...counting(
      'update',
      'new table as added old table as gone',
      `${rows('', 'added')} union all ${rows('-', 'gone')}`,
    ),
  ]
}
