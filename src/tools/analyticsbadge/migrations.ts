import type { Migration } from 'kysely/migration'
import { type Migrations, runAll, type Schema } from '../../platform/db/migrations/schema.ts'

const badges = ({ int, byKey, counters }: Schema): Migration =>
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

/** Views that the embedded database hasn't added to their tags yet; a shared database adds views immediately. */
export const badgeJournal = ({ isShared }: Schema): Migration =>
  runAll(
    isShared
      ? []
      : [
          `create table badge_journal (
            id integer primary key, at integer not null, source text not null, tags text not null)`,
        ],
  )

/** Unreadable rows of `badge_journal`, each value as a SQLite literal; a shared database only imports them. */
const unreadableViews = ({ int }: Schema): Migration =>
  runAll([
    `create table badge_journal_unreadable (
      id ${int} primary key, at text not null, source text not null, tags text not null)`,
  ])

const newTags = ({ int }: Schema): Migration =>
  runAll([
    `create table badge_new (source text not null, minute ${int} not null, tags ${int} not null, primary key (source, minute))`,
    `alter table badge add column asked_at ${int}`,
  ])

const ownedBadges = ({ int }: Schema): Migration =>
  runAll([
    'alter table badge add column owner_id text references users (id) on delete set null',
    `alter table badge add column claimed_at ${int}`,
    `alter table badge add column base ${int} not null default 0`,
    `alter table badge add column reset_views ${int} not null default 0`,
    `alter table badge add column hidden ${int} not null default 0`,
    'create index badge_owner on badge (owner_id) where owner_id is not null',
  ])

const lastInstant = Date.UTC(10_000, 0) - 1
const isUnreadable = `typeof(at) <> 'integer' or at not between 0 and ${lastInstant} or source not in ('camo', 'other')
  or case when typeof(tags) = 'text' and json_valid(tags) and json_type(tags) = 'array' then exists (
    select 1 from json_each(tags)
    where type <> 'text' or length(value) not between 1 and 64
      or octet_length(value) <> length(value) or value glob '*[^A-Za-z0-9_]*') else true end`

/** Adds the views in the embedded database's journal to their tags, and sets unreadable rows aside. */
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

/** Run in the order of their names. Never edit one after its release. */
export const migrations: Migrations = {
  '0004-badges': badges,
  '0008-badge-journal': badgeJournal,
  '0011-unreadable-views': unreadableViews,
  '0025-new-tags': newTags,
  '0033-owned-badges': ownedBadges,
  '0067-no-journal': noJournal,
}
