import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** SQLite can't make a column nullable, so the table is made anew; nothing refers to it. */
const jobs = {
  sqlite: [
    `create table job_new (
      id text primary key, kind text not null, entry_id text references entry (id) on delete cascade,
      lane text, payload text, turn_at integer not null, due_at integer not null, free_at integer not null,
      attempt integer not null default 0, lease_by text, planned_at bigint not null default 0, waiting_since bigint,
      next_turn_at integer, claim integer)`,
    `insert into job_new (id, kind, entry_id, lane, payload, turn_at, due_at, free_at, attempt, lease_by, planned_at,
        waiting_since, next_turn_at, claim)
      select id, kind, entry_id, lane, payload, turn_at, due_at, free_at, attempt, lease_by, planned_at,
        waiting_since, next_turn_at, claim from job`,
    'drop table job',
    'alter table job_new rename to job',
    'create index job_free on job (free_at)',
    'create index job_lane on job (lane, turn_at, id) where lane is not null',
    'create index job_entry on job (entry_id, kind)',
  ],
  postgres: ['alter table job alter column entry_id drop not null'],
} as const

/** Users' channels and what they have yet to tell, by jobs that belong to no entry. */
export const channels = ({ kind, int, flag }: Schema): Migration =>
  runAll([
    ...jobs[kind],
    `create table channel (
      id text primary key, user_id text not null references users (id) on delete cascade, name text, type text not null,
      status ${flag} not null, settings text not null, events text not null, tools text, entries text, quiet text,
      remind_every integer, confirmed ${flag} not null, confirm_hash text, confirm_until ${int},
      failing_since ${int}, last_error text, last_sent_at ${int}, told_at ${int},
      created_at ${int} not null, updated_at ${int} not null)`,
    'create index channel_user on channel (user_id)',
    'create index channel_confirm on channel (confirm_hash) where confirm_hash is not null',
    `create table channel_news (
      id text primary key, channel_id text not null references channel (id) on delete cascade, type text not null,
      subject text not null, at ${int} not null, data text not null, message_id text)`,
    'create unique index channel_news_pending on channel_news (channel_id, type, subject) where message_id is null',
    'create index channel_news_message on channel_news (channel_id, message_id, at)',
  ])
