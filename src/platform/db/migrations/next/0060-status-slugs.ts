import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

/** Whose the address of a status page was last. It outlives its page and its user, so neither is referenced. */
export const statusSlugs = ({ int }: Schema): Migration =>
  runAll([
    `create table status_slug (slug text primary key, user_id text not null, used_at ${int} not null)`,
    'create index status_slug_by_age on status_slug (used_at)',
    'insert into status_slug (slug, user_id, used_at) select slug, user_id, updated_at from status_page',
  ])
