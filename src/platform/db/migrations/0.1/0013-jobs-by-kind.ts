import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Jobs are found by their entry and kind; their ids are only there to tell them apart. */
export const jobsByKind = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql`drop index job_entry`.execute(db)
    await sql`create index job_entry on job (entry_id, kind)`.execute(db)
  },
})
