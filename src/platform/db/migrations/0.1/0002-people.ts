import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

const unchangingOnSqlite = [
  "create trigger audit_unchanging before update on audit begin select raise(abort, 'audit is append-only'); end",
]
const unchangingOnPostgres = [
  `create function audit_unchanging() returns trigger language plpgsql as
    $$ begin raise exception 'audit is append-only'; end $$`,
  'create trigger audit_unchanging before update on audit for each row execute function audit_unchanging()',
]

/** API keys, the audit log, announcements and who has seen them. */
export const people = ({ kind, int, byKey }: Schema): Migration =>
  runAll([
    // When a session was last seen, epoch milliseconds; its own updated_at only says when it was renewed.
    `alter table sessions add column last_used_at ${int}`,
    'create index users_created on users (created_at, id)',
    `create table api_key (
      id text primary key, user_id text not null references users (id) on delete cascade,
      name text not null, scopes text not null, hash text not null unique, last4 text not null,
      created_at ${int} not null, expires_at ${int}, last_used_at ${int})`,
    'create index api_key_user on api_key (user_id)',
    // No foreign keys: what was done is kept when who did it, or whom it was done to, is gone.
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
