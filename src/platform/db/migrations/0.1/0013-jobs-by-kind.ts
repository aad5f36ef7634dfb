import type { Migration } from 'kysely/migration'
import { runAll } from '../schema.ts'

/** Jobs are found by their entry and kind; their ids are only there to tell them apart. */
export const jobsByKind = (): Migration =>
  runAll(['drop index job_entry', 'create index job_entry on job (entry_id, kind)'])
