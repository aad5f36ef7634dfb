import type { Migration } from 'kysely/migration'
import { type Migrations, runAll, type Schema } from '../../platform/db/migrations/schema.ts'

const certificates = ({ int, byKey }: Schema): Migration =>
  runAll([
    `create table certificate (
      entry_id text primary key references entry (id) on delete cascade,
      valid_to ${int} not null, told_to ${int}, told_days ${int}) ${byKey}`,
  ])

const awake = ({ int, byKey }: Schema): Migration =>
  runAll([
    `create table awake (
      entry_id text primary key references entry (id) on delete cascade,
      state text, found_asleep ${int} not null, last_asleep_at ${int}, memory text not null) ${byKey}`,
  ])

/** Moves the app's last state from `awake` to the entry. */
const awakeMoved = (_: Schema): Migration =>
  runAll([
    `update entry set awake = (select state from awake where entry_id = entry.id)
      where id in (select entry_id from awake)`,
    'alter table awake drop column state',
  ])

/** Migrations by name, which is the order they run in. Never edit one after its release. */
export const migrations: Migrations = {
  '0030-certificates': certificates,
  '0068-awake': awake,
  '0070-awake-moved': awakeMoved,
}
