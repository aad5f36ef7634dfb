import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

const level = {
  sqlite: "(json_extract(roles, '$.Admin')) virtual",
  postgres: "((roles::jsonb ->> 'Admin')::integer) stored",
} as const

/** The level of Admin, to be searched by. The database works it out of `roles`, so it also holds for what another version writes. */
export const adminLevel = ({ kind }: Schema): Migration =>
  runAll([
    `alter table users add column admin_level integer generated always as ${level[kind]}`,
    'create index users_admin on users (admin_level, status)',
  ])
