import type { Db } from '../../../src/platform/db/open.ts'
import { jobs } from '../../../src/platform/jobs/jobs.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { type Dialect, freshDatabase } from './databases.ts'

type Env = { DATA_DIR: string; APP_SECRET: string; DATABASE_URL?: string }

/** A migrated database for servers in separate processes, configured by `env`; `db` is the test's own connection. */
export async function serverDatabase(dialect: Dialect) {
  const { db, folder = temporaryFolder(), url, drop } = await freshDatabase(dialect)
  const env: Env = { DATA_DIR: folder, APP_SECRET: 'a secret of at least thirty-two characters' }
  if (!url) return { env, db, freeLeases: async () => {}, drop }
  return { env: { ...env, DATABASE_URL: url }, db, freeLeases: () => freeLeases(db), drop }
}
export type ServerDatabase = Awaited<ReturnType<typeof serverDatabase>>

/** Releases the leases of a killed server. On PostgreSQL another server would wait until they expire. */
const freeLeases = (db: Db) => jobs(db, 'nobody', Date.now).releaseAll(Date.now())
