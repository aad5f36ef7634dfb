import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach } from 'vitest'
import { jobs } from '../../../src/platform/jobs/jobs.ts'
import { type Dialect, freshDatabase, insertEntry, insertUser } from '../database/databases.ts'

/** A database with an entry `e` of ada's, shared by the tests of a file. Each test starts without jobs. */
export async function emptyQueue(dialect: Dialect) {
  const { db, drop } = await freshDatabase(dialect)
  await insertUser(db, 'ada')
  await insertEntry(db, 'e', 'ada')
  afterAll(drop)
  beforeEach(() => db.q.deleteFrom('job').execute())
  return {
    db,
    instance: (now: () => number = Date.now) => jobs(db, randomUUID(), now),
  }
}
