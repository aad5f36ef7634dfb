import { migratorOf, ownMigrations } from './platform/db/migrate.ts'
import { serverTools } from './server-tools.ts'

/** Every migration, those of a table in the slice that owns it. */
export const {
  names: migrationNames,
  migrate,
  isMigrated,
} = migratorOf([ownMigrations, ...serverTools.map((tool) => tool.migrations ?? {})])
