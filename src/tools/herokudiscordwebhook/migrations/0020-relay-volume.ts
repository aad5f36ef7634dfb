import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { rowLock } from '../../../platform/db/locks.ts'

const isOpen = (row: string) => `${row}state in ('accepted', 'held')`
const openSize = (row: string) => `case when ${isOpen(row)} then octet_length(${row}payload) else 0 end`
const one = (row: string) => `case when ${isOpen(row)} then 1 else 0 end`

/** Adds (`+`) or takes away (`-`) one row of SQLite's from its entry's volume. */
const count = (sign: '+' | '-', row: 'new.' | 'old.') => `
  update relay set events = events ${sign} 1, bytes = bytes ${sign} octet_length(${row}payload),
    open_events = open_events ${sign} ${one(row)}, open_bytes = open_bytes ${sign} ${openSize(row)}
  where entry_id = ${row}entry_id;`

/** The rows of one of PostgreSQL's statement, to be added or taken away. */
const counted = (sign: '' | '-', table: 'added' | 'gone') => `
  select entry_id, ${sign}1 as events, ${sign}octet_length(payload) as bytes, ${sign}(${one('')}) as open_events,
    ${sign}(${openSize('')}) as open_bytes from ${table}`

/** A trigger that counts all rows of a statement at once, and locks relays in the order in which their jobs are locked. */
const counting = (event: 'insert' | 'update' | 'delete', tables: string, rows: string) => [
  sql`create function ${sql.raw(`relay_volume_${event}`)}() returns trigger language plpgsql as $$ begin
    with changed as (
      select entry_id, sum(events) as events, sum(bytes) as bytes, sum(open_events) as open_events, sum(open_bytes) as open_bytes
      from (${sql.raw(rows)}) as rows group by entry_id
      having sum(events) <> 0 or sum(bytes) <> 0 or sum(open_events) <> 0 or sum(open_bytes) <> 0),
    locked as materialized (
      select changed.* from changed join relay using (entry_id)
      order by relay.entry_id desc ${rowLock({ kind: 'postgres' }, 'no key update', { of: ['relay'] })})
    update relay set events = relay.events + locked.events, bytes = relay.bytes + locked.bytes,
      open_events = relay.open_events + locked.open_events, open_bytes = relay.open_bytes + locked.open_bytes
    from locked where relay.entry_id = locked.entry_id;
    return null;
  end $$`,
  sql`create trigger ${sql.raw(`relay_volume_${event} after ${event} on relay_event referencing ${tables}`)}
    for each statement execute function ${sql.raw(`relay_volume_${event}`)}()`,
]

const triggers = {
  sqlite: [
    `insert on relay_event begin ${count('+', 'new.')} end`,
    `delete on relay_event begin ${count('-', 'old.')} end`,
    `update of state, payload on relay_event when old.state <> new.state or old.payload <> new.payload
      begin ${count('-', 'old.')} ${count('+', 'new.')} end`,
  ].map((trigger, n) => sql.raw(`create trigger relay_volume_${n} after ${trigger}`)),
  postgres: [
    ...counting('insert', 'new table as added', counted('', 'added')),
    ...counting('delete', 'old table as gone', counted('-', 'gone')),
    ...counting(
      'update',
      'new table as added old table as gone',
      `${counted('', 'added')} union all ${counted('-', 'gone')}`,
    ),
  ],
}

/** How many events a relay keeps, how large they are, and how much of that waits for Discord; the database itself counts. */
export const relayVolume = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    const int = kind === 'sqlite' ? 'integer' : 'bigint'
    for (const column of ['events', 'bytes', 'open_events', 'open_bytes'])
      await sql.raw(`alter table relay add column ${column} ${int} not null default 0`).execute(db)
    await sql.raw(recount).execute(db)
    for (const statement of triggers[kind]) await statement.execute(db)
  },
})

const ofEntry = 'from relay_event where relay_event.entry_id = relay.entry_id'
/** Counts everything anew. */
export const recount = `update relay set
  events = (select count(*) ${ofEntry}), bytes = (select coalesce(sum(octet_length(payload)), 0) ${ofEntry}),
  open_events = (select count(*) ${ofEntry} and ${isOpen('')}),
  open_bytes = (select coalesce(sum(octet_length(payload)), 0) ${ofEntry} and ${isOpen('')})`
