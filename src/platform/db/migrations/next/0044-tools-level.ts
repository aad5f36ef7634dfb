import type { Migration } from 'kysely/migration'
import { runAll, type Schema } from '../schema.ts'

const level = {
  sqlite: "(json_extract(roles, '$.Tools')) virtual",
  postgres: "((roles::jsonb ->> 'Tools')::integer) stored",
} as const

/** The level of Tools, to be searched by, as that of Admin is. */
export const toolsLevel = ({ kind }: Schema): Migration =>
  runAll([
    `alter table users add column tools_level integer generated always as ${level[kind]}`,
    'create index users_tools on users (tools_level, status)',
  ])
