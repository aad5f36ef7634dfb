import packageJson from '../package.json' with { type: 'json' }
import { migratorOf, ownMigrations } from './platform/db/migrations/migrate.ts'
import { serverTools } from './server-tools.ts'

/** Migrations of a tool's tables are in the tool's folder. */
export const {
  names: migrationNames,
  migrate,
  nextFor,
  isMigrated,
} = migratorOf([...ownMigrations, ...serverTools.map((tool) => tool.migrations ?? {})], packageJson.version)
