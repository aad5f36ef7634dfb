import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/*
 * The text that a list of entries is searched by: its URL, or the id of the webhook that it calls, in lower case. The database works
 * it out of `settings`, so it also holds for what another version writes or a file brings.
 */
const statements = {
  sqlite: [
    `alter table entry add column search text not null generated always as (case when json_valid(settings) then
      lower(coalesce(settings ->> '$.url', settings ->> '$.hook.id', ''))
      else '' end) virtual`,
    // Holds all that a search reads, in the usual order.
    'create index entry_listed on entry (tool, created_at, id, search)',
    'create index entry_last on entry (tool, last_at)',
  ],
  // Not as JSON, since one text that is none would keep the migration from running. An index of what changes with every
  // run would make PostgreSQL write all indexes anew each time.
  postgres: [
    `alter table entry add column search text collate "C" not null generated always as (lower(coalesce(
      regexp_replace(substring(settings, '"url":"((?:[^"\\\\]|\\\\.)*)"'), '\\\\(["\\\\])', '\\1', 'g'),
      substring(settings, '"hook":\\{"id":"(\\d+)"'), '') collate "C")) stored`,
    'create index entry_listed on entry (tool, created_at, id)',
  ],
} as const

/** Lists of entries page by page, in any order and searched, however many there are. */
export const lists = ({ kind }: Schema): Migration =>
  runAll([
    ...statements[kind],
    'drop index entry_tool',
    'create index entry_status on entry (tool, status)',
    // PostgreSQL indexes no text of any length.
    'create index entry_search on entry (tool, substr(search, 1, 400), id)',
  ])
