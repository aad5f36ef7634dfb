import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** The inbox of each user, and the devices they have signed in from. */
export const inbox = ({ int, byKey, now }: Schema): Migration =>
  runAll([
    // What an item of the inbox is about; null for what was stored before, and for announcements.
    'alter table notification add column item text',
    // JSON: the first ten of `total` names or sentences that an item gathers.
    'alter table notification add column parts text',
    `alter table notification add column total ${int} not null default 1`,
    // No foreign key: an item stays when its entry is deleted.
    'alter table notification add column tool text',
    'alter table notification add column entry_id text',
    // Of one user's items; who has read what is for everyone stands in `notification_seen`.
    `alter table notification add column read_at ${int}`,
    // Only in the inbox, without a toast.
    `alter table notification add column quiet ${int} not null default 0`,
    // A screen has shown it, or it is too old for one: everything else is still to be told.
    `update notification set read_at = issued_at where user_id is not null and (issued_at < ${now} - 86400000
      or id in (select notification_id from notification_seen as seen where seen.user_id = notification.user_id))`,
    'create index notification_of on notification (user_id, issued_at)',
    `alter table notification_seen add column read_at ${int}`,
    // The item that gathers what changes now, for each user and type; `entries` is JSON: the ids of those in it.
    `create table inbox_group (
      user_id text not null references users (id) on delete cascade, type text not null,
      notification_id text not null, began_at ${int} not null, entries text not null default '[]',
      primary key (user_id, type)) ${byKey}`,
    `create table known_device (
      user_id text not null references users (id) on delete cascade, device text not null, network text not null,
      last_at ${int} not null, primary key (user_id, device, network)) ${byKey}`,
  ])
