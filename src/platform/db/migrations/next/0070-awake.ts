import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** What turns see of an entry's app stands with the entry, where lists, badges and status pages read it. */
export const awake = (_: Schema): Migration => runAll(['alter table entry add column awake text'])
