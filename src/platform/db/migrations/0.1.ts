import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { type Migrations, runAll, type Schema } from './schema.ts'

// The migrations of release 0.1, which are never edited.

const first = ({ timestamp: instant, boolean: bool, int, flag, byKey }: Schema): Migration =>
  runAll([
    `create table users (
      id text primary key, name text not null, email text not null unique, email_verified ${bool} not null, image text,
      cred_username text unique, status integer not null default 2,
      tags text not null default '[]', roles text not null default '{}',
      last_usage_timestamp ${instant}, log_in_count integer not null default 0,
      created_at ${instant} not null, updated_at ${instant} not null)`,
    `create table sessions (
      id text primary key, token text not null unique, user_id text not null references users (id) on delete cascade,
      expires_at ${instant} not null, ip_address text, user_agent text,
      created_at ${instant} not null, updated_at ${instant} not null)`,
    'create index sessions_user on sessions (user_id)',
    `create table provider_links (
      id text primary key, provider_id text not null, account_id text not null, account_username text,
      user_id text not null references users (id) on delete cascade,
      access_token text, refresh_token text, id_token text,
      access_token_expires_at ${instant}, refresh_token_expires_at ${instant}, scope text, password text,
      created_at ${instant} not null, updated_at ${instant} not null, unique (provider_id, account_id))`,
    'create index provider_links_user on provider_links (user_id)',
    `create table verifications (
      id text primary key, identifier text not null, value text not null, expires_at ${instant} not null,
      created_at ${instant} not null, updated_at ${instant} not null)`,
    'create index verifications_identifier on verifications (identifier)',
    'create table rate_limits (id text primary key, key text not null unique, count integer not null, last_request bigint not null)',
    'create table setting (key text primary key, value text not null)',
    `create table entry (
      id text primary key, tool text not null, owner_id text not null references users (id) on delete cascade,
      status ${flag} not null, settings text not null, address text unique,
      created_at ${int} not null, updated_at ${int} not null,
      last_at ${int}, last_success ${flag}, last_duration ${int}, last_count ${int}, last_note text)`,
    'create index entry_owner on entry (owner_id, tool)',
    'create index entry_tool on entry (tool, created_at)',
    `create table run (
      entry_id text not null references entry (id) on delete cascade, at ${int} not null, success ${flag} not null,
      duration ${int}, count ${int}, note text, primary key (entry_id, at)) ${byKey}`,
    `create table run_day (
      entry_id text not null references entry (id) on delete cascade, day text not null,
      ok ${int} not null, fail ${int} not null, ms_sum ${int} not null, ms_max ${int} not null,
      primary key (entry_id, day)) ${byKey}`,
    `create table job (
      id text primary key, kind text not null, entry_id text not null references entry (id) on delete cascade,
      lane text, payload text, turn_at ${int} not null, due_at ${int} not null, free_at ${int} not null,
      attempt integer not null default 0, lease_by text)`,
    'create index job_free on job (free_at)',
    'create index job_lane on job (lane, turn_at, id) where lane is not null',
    'create index job_entry on job (entry_id)',
  ])

const unchangingOnSqlite = [
  "create trigger audit_unchanging before update on audit begin select raise(abort, 'audit is append-only'); end",
]
const unchangingOnPostgres = [
  `create function audit_unchanging() returns trigger language plpgsql as
    $$ begin raise exception 'audit is append-only'; end $$`,
  'create trigger audit_unchanging before update on audit for each row execute function audit_unchanging()',
]

/** API keys, the audit log, announcements and which users have seen them. */
const people = ({ kind, int, byKey }: Schema): Migration =>
  runAll([
    // When a session was last used, in epoch milliseconds: updated_at contains only when it was renewed.
    `alter table sessions add column last_used_at ${int}`,
    'create index users_created on users (created_at, id)',
    `create table api_key (
      id text primary key, user_id text not null references users (id) on delete cascade,
      name text not null, scopes text not null, hash text not null unique, last4 text not null,
      created_at ${int} not null, expires_at ${int}, last_used_at ${int})`,
    'create index api_key_user on api_key (user_id)',
    // No foreign keys: audit entries are kept when their actor or target is deleted.
    `create table audit (
      id text primary key, at ${int} not null, actor_id text, actor text not null, action text not null,
      target_id text, target text, changes text not null, address text)`,
    'create index audit_at on audit (at, id)',
    ...(kind === 'sqlite' ? unchangingOnSqlite : unchangingOnPostgres),
    `create table notification (
      id text primary key, user_id text references users (id) on delete cascade,
      type text not null, message text not null, author text not null, issued_at ${int} not null)`,
    'create index notification_issued on notification (issued_at)',
    `create table notification_seen (
      user_id text not null references users (id) on delete cascade,
      notification_id text not null references notification (id) on delete cascade,
      primary key (user_id, notification_id)) ${byKey}`,
    'create index notification_seen_of on notification_seen (notification_id)',
  ])

/** When another user set this password, in epoch milliseconds; null if its owner chose it. */
const givenPasswords = ({ int }: Schema): Migration =>
  runAll([`alter table provider_links add column password_given_at ${int}`])

/** When jobs were planned, so that setting the clock doesn't strand them; and since when turns wait for their host. */
export const plannedAt = ({ now }: Schema): Migration =>
  runAll([
    'alter table job add column planned_at bigint not null default 0',
    // Jobs from an earlier version were planned before now.
    `update job set planned_at = ${now}`,
    'alter table job add column waiting_since bigint',
  ])

/** Who last edited a record. No foreign key: the value stays when the editor is deleted. */
const changedBy = (): Migration =>
  runAll(['entry', 'users'].map((table) => `alter table ${table} add column changed_by text`))

const level = {
  sqlite: "(json_extract(roles, '$.Admin')) virtual",
  postgres: "((roles::jsonb ->> 'Admin')::integer) stored",
} as const

/** The Admin role's level, for searches. Derived from `roles`, so also right for rows that another version writes. */
const adminLevel = ({ kind }: Schema): Migration =>
  runAll([
    `alter table users add column admin_level integer generated always as ${level[kind]}`,
    'create index users_admin on users (admin_level, status)',
  ])

/** Jobs are looked up by entry and kind; their ids only distinguish them. */
const jobsByKind = (): Migration => runAll(['drop index job_entry', 'create index job_entry on job (entry_id, kind)'])

type Setting = { key: string; value: string }

/** Set-up links by their hash. Before, they were settings with the purpose in their keys. */
const setupLinks = ({ byKey }: Schema): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql
      .raw(`create table setup_link (hash text primary key, purpose text not null, details text not null)
        ${byKey}`)
      .execute(db)
    await sql`create index setup_link_purpose on setup_link (purpose)`.execute(db)
    const { rows } = await sql<Setting>`select key, value from setting where key like 'setup-link/%'`.execute(db)
    for (const { key, value } of rows) {
      const [, purpose, hash] = key.split('/')
      await sql`insert into setup_link (hash, purpose, details) values (${hash}, ${purpose}, ${value})`.execute(db)
    }
    await sql`delete from setting where key like 'setup-link/%'`.execute(db)
  },
})

/** When the turn after the running one is due, if that was decided during the run. */
const nextTurn = ({ int }: Schema): Migration => runAll([`alter table job add column next_turn_at ${int}`])

/** The number of the claim that leased a job. Leases from before this column expire normally. */
const claim = ({ int }: Schema): Migration => runAll([`alter table job add column claim ${int}`])

// The lower-case URL or webhook id that lists search; derived, so rows of other versions and imports have it too.
const statements = {
  sqlite: [
    `alter table entry add column search text not null generated always as (case when json_valid(settings) then
      lower(coalesce(settings ->> '$.url', settings ->> '$.hook.id', ''))
      else '' end) virtual`,
    // Covers all columns that a search reads, in the default order.
    'create index entry_listed on entry (tool, created_at, id, search)',
    'create index entry_last on entry (tool, last_at)',
  ],
  // Not parsed as JSON, because one invalid text would fail the migration. An index on a column that changes with every
  // run would make PostgreSQL update all indexes each time.
  postgres: [
    `alter table entry add column search text collate "C" not null generated always as (lower(coalesce(
      regexp_replace(substring(settings, '"url":"((?:[^"\\\\]|\\\\.)*)"'), '\\\\(["\\\\])', '\\1', 'g'),
      substring(settings, '"hook":\\{"id":"(\\d+)"'), '') collate "C")) stored`,
    'create index entry_listed on entry (tool, created_at, id)',
  ],
} as const

/** Pages of entry lists in any order and with searches, however many entries there are. */
const lists = ({ kind }: Schema): Migration =>
  runAll([
    ...statements[kind],
    'drop index entry_tool',
    'create index entry_status on entry (tool, status)',
    // PostgreSQL can't index texts of arbitrary length.
    'create index entry_search on entry (tool, substr(search, 1, 400), id)',
  ])

/** The networks from which each user has signed in, so that attackers who guess passwords never lock them out. */
const knownNetworks = ({ int, byKey }: Schema): Migration =>
  runAll([
    `create table known_network (
      user_id text not null references users (id) on delete cascade, network text not null,
      last_at ${int} not null, primary key (user_id, network)) ${byKey}`,
    'create index known_network_last on known_network (last_at)',
  ])

export const release01: Migrations = {
  '0001-first': first,
  '0002-people': people,
  '0005-given-passwords': givenPasswords,
  '0009-planned-at': plannedAt,
  '0010-changed-by': changedBy,
  '0012-admin-level': adminLevel,
  '0013-jobs-by-kind': jobsByKind,
  '0014-setup-links': setupLinks,
  '0016-next-turn': nextTurn,
  '0018-claim': claim,
  '0019-lists': lists,
  '0021-known-networks': knownNetworks,
}
