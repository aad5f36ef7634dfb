import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Which claim of its instance leased a job. Leases from before this column end on their own. */
export const claim = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw(`alter table job add column claim ${kind === 'sqlite' ? 'integer' : 'bigint'}`).execute(db)
  },
})
