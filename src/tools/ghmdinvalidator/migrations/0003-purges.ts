import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = (kind: 'sqlite' | 'postgres') => {
  const int = kind === 'sqlite' ? 'integer' : 'bigint'
  const byKey = kind === 'sqlite' ? 'without rowid' : ''
  return [
    `create table purge (hash text primary key, at ${int} not null) ${byKey}`,
    'create index purge_at on purge (at)',
    `create table purge_page (
      entry_id text primary key references entry (id) on delete cascade, at ${int} not null, moved_to text) ${byKey}`,
    `create table purge_image (
      entry_id text not null references entry (id) on delete cascade, position integer not null,
      origin text not null, outcome text not null, note text,
      primary key (entry_id, position)) ${byKey}`,
  ]
}

/** Which images were purged recently, and what the last run of each entry found on its page. */
export const purges = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements(kind)) await sql.raw(statement).execute(db)
  },
})
