import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Db } from '../../../src/platform/db/open.ts'
import { jobs } from '../../../src/platform/jobs/jobs.ts'
import { type Dialect, freshDatabase, insertEntry, insertUser } from '../database/databases.ts'

/** For all tests of a file: a database with an entry `e` of ada's, and no job when a test begins. */
export function emptyQueue(dialect: Dialect) {
  let database: { db: Db; drop: () => Promise<void> }
  beforeAll(async () => {
    database = await freshDatabase(dialect)
    await insertUser(database.db, 'ada')
    await insertEntry(database.db, 'e', 'ada')
  })
  afterAll(() => database.drop())
  beforeEach(() => database.db.q.deleteFrom('job').execute())
  return {
    get db() {
      return database.db
    },
    /** The jobs as seen by an instance of its own. */
    instance: (now: () => number = Date.now) => jobs(database.db, randomUUID(), now),
  }
}
