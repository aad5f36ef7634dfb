import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'

/** Views of badges by source: in total, and when a day began. */
export const badges = ({ int, byKey, counters }: Schema): Migration =>
  runAll([
    `create table badge (
      tag text primary key, camo ${int} not null default 0, other ${int} not null default 0,
      last_view ${int} not null, created_at ${int} not null)
      ${counters}`,
    'create index badge_created on badge (created_at)',
    `create table badge_day (
      tag text not null references badge (tag) on delete cascade, day text not null,
      camo ${int} not null, other ${int} not null, primary key (tag, day)) ${byKey}`,
    'create index badge_day_day on badge_day (day)',
  ])
