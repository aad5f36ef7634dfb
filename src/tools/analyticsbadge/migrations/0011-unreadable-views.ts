import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Rows of `badge_journal` that couldn't be read, each value as SQLite writes it; PostgreSQL only imports them. */
export const unreadableViews = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    const id = sql.raw(kind === 'sqlite' ? 'integer' : 'bigint')
    await sql`
      create table badge_journal_unreadable (
        id ${id} primary key, at text not null, source text not null, tags text not null)`.execute(db)
  },
})
