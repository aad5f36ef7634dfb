import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** The public pages of users, and how often the address of an entry's badges was made anew. */
export const statusPages = ({ int, flag }: Schema): Migration =>
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
