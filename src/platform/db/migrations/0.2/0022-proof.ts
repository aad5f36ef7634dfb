import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** When the user of a session last proved who they are, after signing in. */
export const proof = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw(`alter table sessions add column proved_at ${kind === 'sqlite' ? 'integer' : 'bigint'}`).execute(db)
  },
})
