import type { TestProject } from 'vitest/node'
import { migrate } from '../../../src/migrations.ts'
import { openPostgres } from '../../../src/platform/db/postgres/open.ts'
import { openSqlite } from '../../../src/platform/db/sqlite/open.ts'
import { removeTemporaryFolders, temporaryFolder } from '../temporary-folder.ts'
import { createPostgres } from './fresh-postgres.ts'
import { startPostgres } from './start-postgres.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the PostgreSQL server, with a user that can create databases. */
    pg: string
    /** A migrated database on that server, and a folder with a migrated SQLite file. Copy these, never open them. */
    migrated: { postgres: string; sqlite: string }
  }
}

const flags = [
  ...['-c', 'fsync=off', '-c', 'max_connections=300'],
  // Statistics of a database that a test has just emptied would mislead the next test's query plans.
  ...['-c', 'autovacuum=off'],
  // With the default, tests that provoke deadlocks would wait a second for each.
  ...['-c', 'deadlock_timeout=100ms'],
]

/** Provides one PostgreSQL server for the run (TOOLBOX_TEST_PG or a temporary one) and migrated databases to copy. */
export default async function setup(project: TestProject) {
  const configuredUrl = process.env.TOOLBOX_TEST_PG
  const server = configuredUrl ? undefined : await startPostgres(flags)
  const url = configuredUrl ?? server?.url ?? ''
  const postgres = await createPostgres(url)
  const sqlite = temporaryFolder()
  for (const db of [openPostgres(postgres.url), openSqlite(sqlite)]) {
    await migrate(db)
    await db.close()
  }
  project.provide('pg', url)
  project.provide('migrated', { postgres: postgres.name, sqlite })
  return async () => {
    removeTemporaryFolders()
    await (server ? server.stop() : postgres.drop())
  }
}
