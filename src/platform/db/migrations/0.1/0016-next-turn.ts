import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** When the turn after the one that runs comes, where that was decided meanwhile. */
export const nextTurn = ({ int }: Schema): Migration => runAll([`alter table job add column next_turn_at ${int}`])
