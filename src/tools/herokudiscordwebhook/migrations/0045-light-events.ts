import type { Migration } from 'kysely/migration'
import { countTogether } from '../../../platform/db/migrations/kept-sums.ts'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'
import { relayVolumes } from './0020-relay-volume.ts'

/** Events that are added together are counted together, and the oldest that waits is found by a shorter key. */
export const lightEvents = (schema: Schema): Migration =>
  runAll([
    ...countTogether(schema, relayVolumes),
    'drop index relay_event_waiting',
    `create index relay_event_waiting on relay_event (entry_id, seq) where state = 'accepted'`,
  ])
