import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = (kind: 'sqlite' | 'postgres') => {
  const int = kind === 'sqlite' ? 'integer' : 'bigint'
  const byKey = kind === 'sqlite' ? 'without rowid' : ''
  return [
    // The room left in PostgreSQL's pages lets a counter be updated in place, without touching an index.
    `create table badge (
      tag text primary key, camo ${int} not null default 0, other ${int} not null default 0,
      last_view ${int} not null, created_at ${int} not null)
      ${kind === 'sqlite' ? byKey : 'with (fillfactor = 70)'}`,
    'create index badge_created on badge (created_at)',
    `create table badge_day (
      tag text not null references badge (tag) on delete cascade, day text not null,
      camo ${int} not null, other ${int} not null, primary key (tag, day)) ${byKey}`,
    'create index badge_day_day on badge_day (day)',
  ]
}

/** Views of badges by source: in total, and when a day began. */
export const badges = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements(kind)) await sql.raw(statement).execute(db)
  },
})
