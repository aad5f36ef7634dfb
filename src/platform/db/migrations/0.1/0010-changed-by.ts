import type { Migration } from 'kysely/migration'
import { runAll } from '../schema.ts'

/** Who last edited a record. No foreign key: that it was edited stays true when the editor is gone. */
export const changedBy = (): Migration =>
  runAll(['entry', 'users'].map((table) => `alter table ${table} add column changed_by text`))
