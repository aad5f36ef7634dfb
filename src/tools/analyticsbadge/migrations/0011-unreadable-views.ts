import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'

/** Rows of `badge_journal` that couldn't be read, each value as SQLite writes it; a shared database only imports them. */
export const unreadableViews = ({ int }: Schema): Migration =>
  runAll([
    `create table badge_journal_unreadable (
      id ${int} primary key, at text not null, source text not null, tags text not null)`,
  ])
