import { migratorOf, ownMigrations } from './platform/db/migrate.ts'
import { serverTools } from './server-tools.ts'

/** Every migration; those of a tool's tables are in the tool's folder. */
export const {
  names: migrationNames,
  migrate,
  isMigrated,
} = migratorOf([ownMigrations, ...serverTools.map((tool) => tool.migrations ?? {})])
