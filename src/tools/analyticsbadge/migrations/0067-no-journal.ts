import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'

/** The end of the year 9999. */
const lastInstant = Date.UTC(10_000, 0) - 1
const isUnreadable = `typeof(at) <> 'integer' or at not between 0 and ${lastInstant} or source not in ('camo', 'other')
  or case when typeof(tags) = 'text' and json_valid(tags) and json_type(tags) = 'array' then exists (
    select 1 from json_each(tags)
    where type <> 'text' or length(value) not between 1 and 64
      or octet_length(value) <> length(value) or value glob '*[^A-Za-z0-9_]*') else true end`

/** Adds the views in the embedded database's journal to their tags, and sets aside what can't be read. */
export const noJournal = ({ isShared }: Schema): Migration =>
  runAll(
    isShared
      ? []
      : [
          `insert into badge_journal_unreadable (at, source, tags)
            select quote(at), quote(source), quote(tags) from badge_journal where ${isUnreadable}`,
          `delete from badge_journal where ${isUnreadable}`,
          `insert into badge (tag, camo, other, last_view, created_at)
            select value, sum(source = 'camo'), sum(source = 'other'), max(at), min(at)
            from badge_journal, json_each(tags) where true group by value
            on conflict (tag) do update set camo = badge.camo + excluded.camo, other = badge.other + excluded.other,
              last_view = max(badge.last_view, excluded.last_view)`,
          'drop table badge_journal',
        ],
  )
