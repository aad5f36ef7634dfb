import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = (int: 'integer' | 'bigint') => [
  `create table badge_new (source text not null, minute ${int} not null, tags ${int} not null, primary key (source, minute))`,
  `alter table badge add column asked_at ${int}`,
]

/** Who added new tags within the last hour, minute by minute, and when a tag was last asked for without a view. */
export const newTags = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements(kind === 'sqlite' ? 'integer' : 'bigint')) await sql.raw(statement).execute(db)
  },
})
