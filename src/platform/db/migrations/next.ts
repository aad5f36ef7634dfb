import type { Migration } from 'kysely/migration'
import { type Migrations, runAll, type Schema } from './schema.ts'

// The migrations of the next release. Never edit one that has landed: databases of the main branch have run it.

/** Requests for access, and sign-ups that wait for approval. */
export const accessRequests = ({ int }: Schema): Migration =>
  runAll([
    // Each user's latest. Open until `decided_at`. `kind`: request or sign-up; `decision`: approve, tools or decline.
    `create table access_request (
      user_id text primary key references users (id) on delete cascade, kind text not null, message text,
      at ${int} not null, decided_at ${int}, decision text)`,
    'create index access_request_open on access_request (at) where decided_at is null',
    // Users who signed up when that required approval, and whose status was never edited.
    `insert into access_request (user_id, kind, at)
      select users.id, 'sign-up', max(audit.at) from audit join users on users.id = audit.target_id
      where audit.action = 'user.signup' and users.status = 1 and users.log_in_count = 0
        and users.id not in (select target_id from audit
          where action = 'user.edit' and target_id is not null and changes like '%"field":"status"%')
      group by users.id`,
  ])

const invites = ({ int, flag }: Schema): Migration =>
  runAll([
    // An invitation stops working when the user who created it is deleted. `created_by` is null for the command line.
    `create table invite (
      id text primary key, hash text not null unique, roles text not null, tags text not null,
      email text, mailed ${flag} not null, uses integer not null, used integer not null default 0,
      created_by text, created_at ${int} not null, expires_at ${int} not null, revoked_at ${int},
      check (used <= uses))`,
    'create index invite_by_age on invite (expires_at)',
    `create table invite_use (
      invite_id text not null references invite (id) on delete cascade,
      user_id text not null references users (id) on delete cascade,
      at ${int} not null, primary key (invite_id, user_id))`,
    'create index invite_use_user on invite_use (user_id)',
  ])

/** Mails about accounts, with the hashes of the links in them. */
const mails = ({ int }: Schema): Migration =>
  runAll([
    `create table mail (
      id text primary key, kind text not null, email text not null,
      user_id text references users (id) on delete cascade, details text, hash text unique,
      created_at ${int} not null, expires_at ${int} not null, sent_at ${int}, used_at ${int}, note text)`,
    'create index mail_email on mail (email, kind, created_at)',
    'create index mail_user on mail (user_id)',
    'create index mail_created on mail (created_at)',
    'create index known_network_network on known_network (network)',
  ])

/** When users last signed in, and an index for lists that show their providers. */
const usersList = ({ int }: Schema): Migration =>
  runAll([
    `alter table users add column last_sign_in_at ${int}`,
    'update users set last_sign_in_at = (select max(last_at) from known_network where known_network.user_id = users.id)',
    // Covers which providers a user has, without reading the links themselves.
    'create index provider_links_of on provider_links (user_id, provider_id)',
    'drop index provider_links_user',
  ])

/** Finds the few failing channels among all. */
const failingChannels = (): Migration =>
  runAll(['create index channel_failing on channel (failing_since) where failing_since is not null'])

const toolsLevelOf = {
  sqlite: "(json_extract(roles, '$.Tools')) virtual",
  postgres: "((roles::jsonb ->> 'Tools')::integer) stored",
} as const

/** The level of the Tools role, for searches, like that of Admin. */
const toolsLevel = ({ kind }: Schema): Migration =>
  runAll([
    `alter table users add column tools_level integer generated always as ${toolsLevelOf[kind]}`,
    'create index users_tools on users (tools_level, status)',
  ])

/** The last user of each status page address. It outlives the page and the user, so it references neither. */
const statusSlugs = ({ int }: Schema): Migration =>
  runAll([
    `create table status_slug (slug text primary key, user_id text not null, used_at ${int} not null)`,
    'create index status_slug_by_age on status_slug (used_at)',
    'insert into status_slug (slug, user_id, used_at) select slug, user_id, updated_at from status_page',
  ])

/** Finds the jobs of bulk runs and imports by the payload that identifies their batch. */
export const pacedJobs = (): Migration =>
  runAll(["create index job_paced on job (payload) where payload is not null and kind in ('now', 'turn')"])

/** The state of an entry's app as its runs observe it, stored with the entry for lists, badges and status pages. */
export const awake = (_: Schema): Migration => runAll(['alter table entry add column awake text'])

/** Since when an entry has been paused, set from its next pause on: updated_at changes with every edit. */
const pausedAt = ({ int }: Schema): Migration => runAll([`alter table entry add column paused_at ${int}`])

/** Since when an email channel's address has been refused, in a row: failures of the mail server don't count. */
const refusedSince = ({ int }: Schema): Migration => runAll([`alter table channel add column refused_since ${int}`])

/** Invitations whose link was mailed before they stored that themselves. */
const mailedInvites = (_: Schema): Migration =>
  runAll(['update invite set mailed = 1 where hash in (select hash from mail where sent_at is not null)'])

/** An entry's name for visitors of a status page, and the note that its owner writes on an incident for them. */
const publicWords = ({ int }: Schema): Migration =>
  runAll([
    'alter table status_page_entry add column name text',
    'alter table incident add column note text',
    `alter table incident add column noted_at ${int}`,
  ])

export const nextRelease: Migrations = {
  '0037-access-requests': accessRequests,
  '0038-invites': invites,
  '0040-mails': mails,
  '0041-users-list': usersList,
  '0042-failing-channels': failingChannels,
  '0044-tools-level': toolsLevel,
  '0060-status-slugs': statusSlugs,
  '0069-paced-jobs': pacedJobs,
  '0070-awake': awake,
  '0072-public-words': publicWords,
  '0073-paused-at': pausedAt,
  '0074-refused-since': refusedSince,
  '0075-mailed-invites': mailedInvites,
}
