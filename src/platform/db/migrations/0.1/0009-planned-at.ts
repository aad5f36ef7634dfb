import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** When jobs were planned, so that a clock that is set does not strand them; and since when turns wait for a place on their host. */
export const plannedAt = ({ now }: Schema): Migration =>
  runAll([
    'alter table job add column planned_at bigint not null default 0',
    // What an earlier version has planned, it has planned before now.
    `update job set planned_at = ${now}`,
    'alter table job add column waiting_since bigint',
  ])
