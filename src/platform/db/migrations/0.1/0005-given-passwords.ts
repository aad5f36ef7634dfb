import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Since when a password is one that somebody else chose, epoch milliseconds; null for its owner's own. */
export const givenPasswords = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    const int = kind === 'sqlite' ? 'integer' : 'bigint'
    await sql.raw(`alter table provider_links add column password_given_at ${int}`).execute(db)
  },
})
