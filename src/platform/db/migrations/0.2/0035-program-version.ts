import type { Migration } from 'kysely/migration'
import { runAll } from '../schema.ts'

export const programVersionName = '0035-program-version'

/** Which version of ToolBox ran each migration, from this one on: so an older one can say which to start. */
export const programVersion = (): Migration =>
  runAll(['create table migration_version (name text primary key, version text not null)'])
