import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'

/** Which images were purged recently, and what the last run of each entry found on its page. */
export const purges = ({ int, byKey }: Schema): Migration =>
  runAll([
    `create table purge (hash text primary key, at ${int} not null) ${byKey}`,
    'create index purge_at on purge (at)',
    `create table purge_page (
      entry_id text primary key references entry (id) on delete cascade, at ${int} not null, moved_to text) ${byKey}`,
    `create table purge_image (
      entry_id text not null references entry (id) on delete cascade, position integer not null,
      origin text not null, outcome text not null, note text,
      primary key (entry_id, position)) ${byKey}`,
  ])
