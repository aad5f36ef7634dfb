import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Who last edited a record. No foreign key: that it was edited stays true when the editor is gone. */
export const changedBy = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const table of ['entry', 'users'])
      await sql`alter table ${sql.table(table)} add column changed_by text`.execute(db)
  },
})
