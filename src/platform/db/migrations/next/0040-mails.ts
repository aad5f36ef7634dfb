import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** Mails about accounts, with the links in them. */
export const mails = ({ int }: Schema): Migration =>
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
