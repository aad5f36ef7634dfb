import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'

/** Who added new tags within the last hour, minute by minute, and when a tag was last asked for without a view. */
export const newTags = ({ int }: Schema): Migration =>
  runAll([
    `create table badge_new (source text not null, minute ${int} not null, tags ${int} not null, primary key (source, minute))`,
    `alter table badge add column asked_at ${int}`,
  ])
