import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** When users last signed in, and an index for lists that show their providers. */
export const usersList = ({ int }: Schema): Migration =>
  runAll([
    `alter table users add column last_sign_in_at ${int}`,
    'update users set last_sign_in_at = (select max(last_at) from known_network where known_network.user_id = users.id)',
    // Tells which providers a user has without reading the links themselves.
    'create index provider_links_of on provider_links (user_id, provider_id)',
    'drop index provider_links_user',
  ])
