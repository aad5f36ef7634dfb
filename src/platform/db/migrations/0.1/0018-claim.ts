import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** Which claim of its instance leased a job. Leases from before this column end on their own. */
export const claim = ({ int }: Schema): Migration => runAll([`alter table job add column claim ${int}`])
