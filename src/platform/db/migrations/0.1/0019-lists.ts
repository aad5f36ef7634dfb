import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

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
export const lists = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements[kind]) await sql.raw(statement).execute(db)
    await sql`drop index entry_tool`.execute(db)
    await sql`create index entry_status on entry (tool, status)`.execute(db)
    // PostgreSQL indexes no text of any length.
    await sql`create index entry_search on entry (tool, substr(search, 1, 400), id)`.execute(db)
  },
})
