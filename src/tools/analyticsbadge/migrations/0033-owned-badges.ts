import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'

/** Whose a tag is, and what its owner adds to its views, took off them, and hides. */
export const ownedBadges = ({ int }: Schema): Migration =>
  runAll([
    'alter table badge add column owner_id text references users (id) on delete set null',
    `alter table badge add column claimed_at ${int}`,
    `alter table badge add column base ${int} not null default 0`,
    `alter table badge add column reset_views ${int} not null default 0`,
    `alter table badge add column hidden ${int} not null default 0`,
    'create index badge_owner on badge (owner_id) where owner_id is not null',
  ])
