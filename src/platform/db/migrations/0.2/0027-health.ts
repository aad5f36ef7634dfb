import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

const url = `case when json_valid(settings) then settings ->> '$.url' end`
const path = `substr(${url}, 1, instr(replace(${url}, '#', '?') || '?', '?') - 1)`

/** A URL's host and path, without a slash at the end. */
const about = {
  sqlite: `rtrim(substr(${path}, instr(${path}, '://') + 3), '/')`,
  postgres: `rtrim(substring(settings, '"url":"[A-Za-z]+://([^"\\\\?#]*)'), '/')`,
} as const

/** What entries are called, whether they fail, and for how long they did. */
export const health = ({ kind, int }: Schema): Migration =>
  runAll([
    'alter table entry add column name text',
    `alter table entry add column about text not null default ''`,
    'alter table entry add column notify_after integer not null default 2',
    'alter table entry add column fails integer not null default 0',
    `alter table entry add column failing_since ${int}`,
    `alter table entry add column blocked_at ${int}`,
    'alter table entry add column incident_id text',
    `update entry set about = substr(coalesce(${about[kind]}, ''), 1, 200)`,
    'update entry set fails = 1, failing_since = last_at where last_success = 0',
    // Only what fails is in them, so that counting it costs the same however many entries there are.
    'create index entry_failing on entry (tool, owner_id) where failing_since is not null',
    'create index entry_blocked on entry (tool, owner_id) where blocked_at is not null',
    `create table incident (
      id text primary key, entry_id text not null references entry (id) on delete cascade, since ${int} not null,
      opened_at ${int} not null, closed_at ${int}, cause text not null)`,
    'create index incident_entry on incident (entry_id, opened_at)',
    'create index incident_open on incident (opened_at) where closed_at is null',
    'create index incident_closed on incident (closed_at) where closed_at is not null',
  ])
