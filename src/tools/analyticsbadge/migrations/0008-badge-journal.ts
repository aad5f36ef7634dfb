import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Views that the embedded database hasn't added to their tags yet; PostgreSQL adds them at once. */
export const badgeJournal = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    if (kind === 'postgres') return
    await sql`
      create table badge_journal (
        id integer primary key, at integer not null, source text not null, tags text not null)`.execute(db)
  },
})
