import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** Authenticator apps with their recovery codes, and passkeys. */
export const secondFactor = ({ int, byKey }: Schema): Migration =>
  runAll([
    // What begins with new_ waits for its first code. Secrets and codes are sealed.
    `create table second_factor (
      user_id text primary key references users (id) on delete cascade, secret text, codes text, since ${int},
      last_step ${int}, new_secret text, new_codes text) ${byKey}`,
    // A passkey only works at the host it was created for, rp_id.
    `create table passkey (
      id text primary key, user_id text not null references users (id) on delete cascade, rp_id text not null,
      credential_id text not null unique, public_key text not null, counter ${int} not null, transports text not null,
      name text not null, created_at ${int} not null, last_used_at ${int})`,
    'create index passkey_user on passkey (user_id)',
  ])
