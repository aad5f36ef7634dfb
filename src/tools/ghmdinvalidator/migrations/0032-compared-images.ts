import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'

const ofEntry = 'entry_id text not null references entry (id) on delete cascade'

/** How GitHub's copies compared with their images, the copies themselves, and which images have been dead for how long. */
export const imagesTables = ({ int, byKey }: Schema): Migration =>
  runAll([
    ...['digest', 'state', 'cause', 'github', 'source'].map(
      (name) => `alter table purge_image add column ${name} text`,
    ),
    `create table image_copy (
      ${ofEntry}, hash text not null, type text not null, bytes text not null, primary key (entry_id, hash)) ${byKey}`,
    `create table dead_image (
      ${ofEntry}, hash text not null, runs integer not null, since ${int} not null, primary key (entry_id, hash)) ${byKey}`,
  ])
