import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** Since when a password is one that somebody else chose, epoch milliseconds; null for its owner's own. */
export const givenPasswords = ({ int }: Schema): Migration =>
  runAll([`alter table provider_links add column password_given_at ${int}`])
