import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Counts the parked events without reading the others. */
export const relayHeld = (): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql`create index relay_event_held on relay_event (entry_id) where state = 'held'`.execute(db)
  },
})
