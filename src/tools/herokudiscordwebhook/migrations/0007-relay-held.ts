import type { Migration } from 'kysely/migration'
import { runAll } from '../../../platform/db/migrations/schema.ts'

/** Counts the parked events without reading the others. */
export const relayHeld = (): Migration =>
  runAll([`create index relay_event_held on relay_event (entry_id) where state = 'held'`])
