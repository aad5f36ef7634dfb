import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = (kind: 'sqlite' | 'postgres') => {
  const int = kind === 'sqlite' ? 'integer' : 'bigint'
  const byKey = kind === 'sqlite' ? 'without rowid' : ''
  return [
    // The room left in PostgreSQL's pages lets a counter grow where it stands, without touching an index.
    `create table badge (
      tag text primary key, views ${int} not null, last_view ${int} not null, created_at ${int} not null)
      ${kind === 'sqlite' ? byKey : 'with (fillfactor = 70)'}`,
    'create index badge_created on badge (created_at)',
    `create table badge_day (
      tag text not null references badge (tag) on delete cascade, day text not null, source text not null,
      views ${int} not null, primary key (tag, day, source)) ${kind === 'sqlite' ? byKey : 'with (fillfactor = 70)'}`,
    'create index badge_day_day on badge_day (day)',
  ]
}

/** Views of badges: in all, and by day and source. */
export const badges = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements(kind)) await sql.raw(statement).execute(db)
  },
})
