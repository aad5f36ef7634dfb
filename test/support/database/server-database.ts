import { cpSync } from 'node:fs'
import { inject } from 'vitest'
import type { Db } from '../../../src/platform/db/open.ts'
import { openPostgres } from '../../../src/platform/db/postgres/open.ts'
import { openSqlite } from '../../../src/platform/db/sqlite/open.ts'
import { jobs } from '../../../src/platform/jobs/jobs.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import type { Dialect } from './databases.ts'
import { migratedPostgres } from './reused-postgres.ts'

type Env = { DATA_DIR: string; APP_SECRET: string; DATABASE_URL?: string }

/** A migrated database for servers in separate processes, configured by `env`; `db` is the test's own connection. */
export async function serverDatabase(dialect: Dialect) {
  const folder = temporaryFolder()
  const secret = 'a secret of at least thirty-two characters'
  const env: Env = { DATA_DIR: folder, APP_SECRET: secret }
  if (dialect === 'sqlite') {
    cpSync(inject('migrated').sqlite, folder, { recursive: true })
    const db = openSqlite(folder)
    return { env, db, freeLeases: async () => {}, drop: db.close }
  }
  const { url, drop } = await migratedPostgres()
  const db = openPostgres(url)
  const dropAll = async () => {
    await db.close()
    await drop()
  }
  return { env: { ...env, DATABASE_URL: url }, db, freeLeases: () => freeLeases(db), drop: dropAll }
}
export type ServerDatabase = Awaited<ReturnType<typeof serverDatabase>>

/** Releases the leases of a killed server. On PostgreSQL another server would wait until they expire. */
const freeLeases = (db: Db) => jobs(db, 'nobody', Date.now).releaseAll(Date.now())
