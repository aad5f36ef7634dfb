import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

export const first = ({ timestamp: instant, boolean: bool, int, flag, byKey }: Schema): Migration =>
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
