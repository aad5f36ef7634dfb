import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** When the user of a session last proved who they are, after signing in. */
export const proof = ({ int }: Schema): Migration => runAll([`alter table sessions add column proved_at ${int}`])
