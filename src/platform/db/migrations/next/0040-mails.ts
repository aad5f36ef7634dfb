import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = (kind: 'sqlite' | 'postgres') => {
  const int = kind === 'sqlite' ? 'integer' : 'bigint'
  return [
    `create table mail (
      id text primary key, kind text not null, email text not null,
      user_id text references users (id) on delete cascade, details text, hash text unique,
      created_at ${int} not null, expires_at ${int} not null, sent_at ${int}, used_at ${int}, note text)`,
    'create index mail_email on mail (email, kind, created_at)',
    'create index mail_user on mail (user_id)',
    'create index mail_created on mail (created_at)',
    'create index known_network_network on known_network (network)',
  ]
}

/** Mails about accounts, with the links in them. */
export const mails = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements(kind)) await sql.raw(statement).execute(db)
  },
})
