import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'

/** The state of relays, and what Heroku delivered to them. */
export const relay = ({ int }: Schema): Migration =>
  runAll([
    `create table relay (
      entry_id text primary key references entry (id) on delete cascade, webhook_id text not null, connected_at ${int},
      refused ${int} not null default 0, refused_at ${int}, refused_why text, blocked_at ${int}, blocked_why text)`,
    'create index relay_webhook on relay (webhook_id)',
    // Few indexes, with short keys, since every event is written to each.
    `create table relay_event (
      id text not null, entry_id text not null references entry (id) on delete cascade, event_id text not null,
      event_key text not null unique, resource text not null, action text not null, state text not null,
      received_at ${int} not null, attempts integer not null default 0, failed integer not null default 0,
      wait_until ${int} not null default 0, note text, payload text not null, collapse_key text,
      primary key (entry_id, id))`,
    `create index relay_event_same on relay_event (collapse_key, received_at) where collapse_key is not null`,
    `create index relay_event_waiting on relay_event (entry_id, id) where state = 'accepted'`,
  ])
