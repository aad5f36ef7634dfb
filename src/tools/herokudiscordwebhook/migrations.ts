import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import {
  type CounterDefinition,
  counterTriggers,
  dropInsertTrigger,
  recountSql,
} from '../../platform/db/migrations/counter-triggers.ts'
import { type Migrations, runAll, type Schema } from '../../platform/db/migrations/schema.ts'

const relay = ({ int }: Schema): Migration =>
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

/** Adds an index for counting parked events without reading the others. */
const relayHeld = (): Migration =>
  runAll([`create index relay_event_held on relay_event (entry_id) where state = 'held'`])

/** Numbers events, to send them in order of arrival whatever the clock says. Existing ones get 0, so they go first. */
const eventOrder = ({ addNumber }: Schema): Migration =>
  runAll([
    ...addNumber('relay_event', 'seq'),
    'drop index relay_event_waiting',
    `create index relay_event_waiting on relay_event (entry_id, seq, id) where state = 'accepted'`,
  ])

const ifOpen = (row: string, value: string) => `case when ${row}state in ('accepted', 'held') then ${value} else 0 end`
const size = (row: string) => `octet_length(${row}payload)`

/** The number and payload bytes of a relay's events, in total and of those that Discord hasn't accepted. */
export const relayVolumes: CounterDefinition = {
  name: 'relay_volume',
  of: 'relay_event',
  into: 'relay',
  key: 'entry_id',
  adds: {
    events: () => '1',
    bytes: size,
    open_events: (row) => ifOpen(row, '1'),
    open_bytes: (row) => ifOpen(row, size(row)),
  },
  by: ['state', 'payload'],
}

const relayVolume = (schema: Schema): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const column of Object.keys(relayVolumes.adds))
      await sql.raw(`alter table relay add column ${column} ${schema.int} not null default 0`).execute(db)
    await sql.raw(recountSql(relayVolumes)).execute(db)
    for (const trigger of counterTriggers(schema, relayVolumes)) await trigger.execute(db)
  },
})

/** Blocks the entries of relays whose webhook is rejected, and opens an incident for each. */
const relayHealth = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql`insert into incident (id, entry_id, since, opened_at, cause)
      select entry_id, entry_id, blocked_at, blocked_at, coalesce(blocked_why, 'rejected by Discord')
      from relay where blocked_at is not null`.execute(db)
    await sql`update entry set incident_id = id, blocked_at = (select relay.blocked_at from relay where relay.entry_id = entry.id)
      where id in (select entry_id from relay where blocked_at is not null)`.execute(db)
  },
})

const relayCards = ({ int }: Schema): Migration =>
  runAll([
    `create table relay_card (
      entry_id text not null references entry (id) on delete cascade, id text not null,
      webhook_id text not null, thread_id text, message_id text, told text not null, edited_for text,
      build_id text, release_id text, slug_id text, facts text not null, touched_at ${int} not null,
      primary key (entry_id, id))`,
  ])

/** Counts the events of an insert together instead of one by one. */
const lightEvents = (schema: Schema): Migration => runAll(dropInsertTrigger(schema, relayVolumes))

/** Migrations by name, which is the order they run in. Never edit one after its release. */
export const migrations: Migrations = {
  '0006-relay': relay,
  '0007-relay-held': relayHeld,
  '0017-event-order': eventOrder,
  '0020-relay-volume': relayVolume,
  '0027-relay-health': relayHealth,
  '0034-relay-cards': relayCards,
  '0045-light-events': lightEvents,
}
