import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** Invitations, and who has used them. */
export const invites = ({ int, flag }: Schema): Migration =>
  runAll([
    // The user who made it may be gone: then it no longer works. Null for the command line.
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
