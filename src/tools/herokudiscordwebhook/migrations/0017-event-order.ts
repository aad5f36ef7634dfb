import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../../../platform/db/migrations/schema.ts'

/** Events are sent in the order in which they were accepted, whatever the clock says; older ones have no number, and come first. */
export const eventOrder = ({ addNumber }: Schema): Migration =>
  runAll([
    ...addNumber('relay_event', 'seq'),
    'drop index relay_event_waiting',
    `create index relay_event_waiting on relay_event (entry_id, seq, id) where state = 'accepted'`,
  ])
