import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Until when the certificates of entries are valid. */
export const certificates = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    const int = kind === 'sqlite' ? 'integer' : 'bigint'
    const byKey = kind === 'sqlite' ? 'without rowid' : ''
    await sql
      .raw(
        `create table certificate (
          entry_id text primary key references entry (id) on delete cascade,
          valid_to ${int} not null, told_to ${int}, told_days ${int}) ${byKey}`,
      )
      .execute(db)
  },
})
