import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = (int: 'integer' | 'bigint') => [
  'alter table badge add column owner_id text references users (id) on delete set null',
  `alter table badge add column claimed_at ${int}`,
  `alter table badge add column base ${int} not null default 0`,
  `alter table badge add column reset_views ${int} not null default 0`,
  `alter table badge add column hidden ${int} not null default 0`,
  'create index badge_owner on badge (owner_id) where owner_id is not null',
]

/** Whose a tag is, and what its owner adds to its views, took off them, and hides. */
export const ownedBadges = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements(kind === 'sqlite' ? 'integer' : 'bigint')) await sql.raw(statement).execute(db)
  },
})
