import type { Migration } from 'kysely/migration'
import { type Migrations, runAll, type Schema } from './schema.ts'

// The migrations of release 0.2, which are never edited.

/** When the user of a session last proved their identity after signing in. */
const proof = ({ int }: Schema): Migration => runAll([`alter table sessions add column proved_at ${int}`])

const secondFactor = ({ int, byKey }: Schema): Migration =>
  runAll([
    // Columns with new_ contain a second factor that waits for its first code. Secrets and codes are sealed.
    `create table second_factor (
      user_id text primary key references users (id) on delete cascade, secret text, codes text, since ${int},
      last_step ${int}, new_secret text, new_codes text) ${byKey}`,
    // A passkey works only on the host that it was created for, rp_id.
    `create table passkey (
      id text primary key, user_id text not null references users (id) on delete cascade, rp_id text not null,
      credential_id text not null unique, public_key text not null, counter ${int} not null, transports text not null,
      name text not null, created_at ${int} not null, last_used_at ${int})`,
    'create index passkey_user on passkey (user_id)',
  ])

/** In ms. A day less than entries are kept, because the clock of the clean-up may be ahead of the database's. */
const leastAgeAtFirst = 399 * 86_400_000

const statements = {
  sqlite: [
    `create trigger audit_kept before delete on audit
      when old.at > cast(unixepoch('subsec') * 1000 as integer) - ${leastAgeAtFirst}
      begin select raise(abort, 'audit is append-only'); end`,
    // Otherwise "insert or replace" would delete an entry without firing the delete trigger.
    `create trigger audit_new before insert on audit when exists (select 1 from audit where id = new.id)
      begin select raise(abort, 'audit is append-only'); end`,
  ],
  postgres: [
    `create function audit_kept() returns trigger language plpgsql as $$ begin
      if old.at > extract(epoch from clock_timestamp()) * 1000 - ${leastAgeAtFirst} then
        raise exception 'audit is append-only';
      end if;
      return old;
    end $$`,
    'create trigger audit_kept before delete on audit for each row execute function audit_kept()',
    'create trigger audit_whole before truncate on audit for each statement execute function audit_unchanging()',
  ],
}

/** An entry of the audit log can be deleted only once it is old. */
const auditByAge = ({ kind }: Schema): Migration => runAll(statements[kind])

/** In ms. A day less than failures are kept, because the clock of the clean-up may be ahead of the database's. */
const leastAge = 29 * 86_400_000
const isLess = ['wrong', 'code', 'limited', 'refused'].map((count) => `new.${count} < old.${count}`).join(' or ')
const isRewritten = `new.began_at <> old.began_at or new.user_id <> old.user_id or new.network <> old.network or new.at <> old.at or ${isLess}`

/** Failures can only be counted up, and deleted once they are old. */
const rules = {
  sqlite: [
    `create trigger sign_in_failure_kept before delete on sign_in_failure
      when old.at > cast(unixepoch('subsec') * 1000 as integer) - ${leastAge}
      begin select raise(abort, 'failed sign-ins are append-only'); end`,
    `create trigger sign_in_failure_counted before update on sign_in_failure when ${isRewritten}
      begin select raise(abort, 'failed sign-ins are append-only'); end`,
  ],
  postgres: [
    `create function sign_in_failure_kept() returns trigger language plpgsql as $$ begin
      if old.at > extract(epoch from clock_timestamp()) * 1000 - ${leastAge} then
        raise exception 'failed sign-ins are append-only';
      end if;
      return old;
    end $$`,
    `create function sign_in_failure_counted() returns trigger language plpgsql as $$ begin
      raise exception 'failed sign-ins are append-only';
    end $$`,
    'create trigger sign_in_failure_kept before delete on sign_in_failure for each row execute function sign_in_failure_kept()',
    `create trigger sign_in_failure_counted before update on sign_in_failure for each row
      when (${isRewritten}) execute function sign_in_failure_counted()`,
    'create trigger sign_in_failure_whole before truncate on sign_in_failure for each statement execute function sign_in_failure_counted()',
  ],
}

/** Devices in the audit log, failed sign-ins per quarter of an hour, and the networks that used an API key. */
const auditTrail = ({ kind, int, byKey }: Schema): Migration =>
  runAll([
    'alter table audit add column device text',
    // For lists of the actions of a user, and of the actions on a user, newest first.
    'create index audit_actor on audit (actor_id, at, id)',
    'create index audit_target on audit (target_id, at, id)',
    // No foreign key: failures are kept when the account is deleted. `user_id` is '' for an unknown username.
    `create table sign_in_failure (
      user_id text not null, network text not null, began_at ${int} not null, at ${int} not null, last_at ${int} not null,
      wrong ${int} not null, code ${int} not null, limited ${int} not null, refused ${int} not null,
      name text, address text, device text,
      primary key (began_at, user_id, network)) ${byKey}`,
    'create index sign_in_failure_at on sign_in_failure (at)',
    'create index sign_in_failure_of on sign_in_failure (user_id, at)',
    `create table api_key_network (
      key_id text not null references api_key (id) on delete cascade, network text not null, at ${int} not null,
      primary key (key_id, network)) ${byKey}`,
    ...rules[kind],
  ])

const url = `case when json_valid(settings) then settings ->> '$.url' end`
const path = `substr(${url}, 1, instr(replace(${url}, '#', '?') || '?', '?') - 1)`

/** A URL's host and path, without a trailing slash. */
const about = {
  sqlite: `rtrim(substr(${path}, instr(${path}, '://') + 3), '/')`,
  postgres: `rtrim(substring(settings, '"url":"[A-Za-z]+://([^"\\\\?#]*)'), '/')`,
} as const

/** Names of entries, whether and since when they fail, and their incidents. */
const health = ({ kind, int }: Schema): Migration =>
  runAll([
    'alter table entry add column name text',
    `alter table entry add column about text not null default ''`,
    'alter table entry add column notify_after integer not null default 2',
    'alter table entry add column fails integer not null default 0',
    `alter table entry add column failing_since ${int}`,
    `alter table entry add column blocked_at ${int}`,
    'alter table entry add column incident_id text',
    `update entry set about = substr(coalesce(${about[kind]}, ''), 1, 200)`,
    'update entry set fails = 1, failing_since = last_at where last_success = 0',
    // Only failing or blocked entries are in these indexes, so counting costs the same however many entries there are.
    'create index entry_failing on entry (tool, owner_id) where failing_since is not null',
    'create index entry_blocked on entry (tool, owner_id) where blocked_at is not null',
    `create table incident (
      id text primary key, entry_id text not null references entry (id) on delete cascade, since ${int} not null,
      opened_at ${int} not null, closed_at ${int}, cause text not null)`,
    'create index incident_entry on incident (entry_id, opened_at)',
    'create index incident_open on incident (opened_at) where closed_at is null',
    'create index incident_closed on incident (closed_at) where closed_at is not null',
  ])

/** SQLite can't make a column nullable, so the table is recreated; no other table refers to it. */
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

/** Users' channels and their pending messages, which are sent by jobs without an entry. */
const channels = ({ kind, int, flag }: Schema): Migration =>
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

/** The inbox of each user, and the devices they have signed in from. */
export const inbox = ({ int, byKey, now }: Schema): Migration =>
  runAll([
    // What an inbox item is about; null for older items and for announcements.
    'alter table notification add column item text',
    // JSON: the first ten of the `total` names or sentences that an item summarizes.
    'alter table notification add column parts text',
    `alter table notification add column total ${int} not null default 1`,
    // No foreign key: an item stays when its entry is deleted.
    'alter table notification add column tool text',
    'alter table notification add column entry_id text',
    // Only for items of one user: `notification_seen` stores which users have read an announcement.
    `alter table notification add column read_at ${int}`,
    // Whether an item appears only in the inbox, without a toast.
    `alter table notification add column quiet ${int} not null default 0`,
    // Mark items as read that a screen has shown or that are more than a day old. The others are still to be shown.
    `update notification set read_at = issued_at where user_id is not null and (issued_at < ${now} - 86400000
      or id in (select notification_id from notification_seen as seen where seen.user_id = notification.user_id))`,
    'create index notification_of on notification (user_id, issued_at)',
    `alter table notification_seen add column read_at ${int}`,
    // The item that collects current changes, per user and type; `entries` is JSON with the ids of the entries in it.
    `create table inbox_group (
      user_id text not null references users (id) on delete cascade, type text not null,
      notification_id text not null, began_at ${int} not null, entries text not null default '[]',
      primary key (user_id, type)) ${byKey}`,
    `create table known_device (
      user_id text not null references users (id) on delete cascade, device text not null, network text not null,
      last_at ${int} not null, primary key (user_id, device, network)) ${byKey}`,
  ])

export const programVersionName = '0035-program-version'

/** Which version ran each migration, from this one on, so that an older version can name the one to start. */
const programVersion = (): Migration =>
  runAll(['create table migration_version (name text primary key, version text not null)'])

/** The public pages of users, and how often the address of an entry's badges was renewed. */
const statusPages = ({ int, flag }: Schema): Migration =>
  runAll([
    `create table status_page (
      id text primary key, user_id text not null unique references users (id) on delete cascade,
      slug text not null unique, title text not null, text text not null,
      created_at ${int} not null, updated_at ${int} not null)`,
    `create table status_page_entry (
      page_id text not null references status_page (id) on delete cascade,
      entry_id text not null references entry (id) on delete cascade,
      position integer not null, show_url ${flag} not null, primary key (page_id, entry_id))`,
    'create index status_page_entry_entry on status_page_entry (entry_id)',
    'alter table entry add column badge_version integer not null default 0',
  ])

export const release02: Migrations = {
  '0022-proof': proof,
  '0023-second-factor': secondFactor,
  '0024-audit-by-age': auditByAge,
  '0026-audit-trail': auditTrail,
  '0027-health': health,
  '0028-channels': channels,
  '0029-inbox': inbox,
  [programVersionName]: programVersion,
  '0036-status-pages': statusPages,
}
