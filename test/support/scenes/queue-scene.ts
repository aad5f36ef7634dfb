import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach } from 'vitest'
import { jobs } from '../../../src/platform/jobs/jobs.ts'
import { type Dialect, freshDatabase, insertEntry, insertUser } from '../database/databases.ts'

/** For all tests of a file: a database with an entry `e` of ada's, and no job when a test begins. */
export async function emptyQueue(dialect: Dialect) {
  const { db, drop } = await freshDatabase(dialect)
  await insertUser(db, 'ada')
  await insertEntry(db, 'e', 'ada')
  afterAll(drop)
  beforeEach(() => db.q.deleteFrom('job').execute())
  return {
    db,
    /** The jobs as seen by an instance of its own. */
    instance: (now: () => number = Date.now) => jobs(db, randomUUID(), now),
  }
}
