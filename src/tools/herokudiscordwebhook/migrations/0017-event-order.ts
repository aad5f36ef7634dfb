import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const statements = {
  sqlite: ['alter table relay_event add column seq integer not null default 0'],
  postgres: [
    'create sequence relay_event_seq',
    'alter table relay_event add column seq bigint not null default 0',
    "alter table relay_event alter column seq set default nextval('relay_event_seq')",
    'alter sequence relay_event_seq owned by relay_event.seq',
  ],
} as const

/** Events are sent in the order in which they were accepted, whatever the clock says; older ones have no number, and come first. */
export const eventOrder = (kind: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements[kind]) await sql.raw(statement).execute(db)
    await sql`drop index relay_event_waiting`.execute(db)
    await sql`create index relay_event_waiting on relay_event (entry_id, seq, id) where state = 'accepted'`.execute(db)
  },
})
