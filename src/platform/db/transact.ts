import type { Db, Queries } from './open.ts'

/** Runs a transaction, and repeats it at most twice if PostgreSQL aborts it because of a deadlock. */
export async function transact<T>(db: Pick<Db, 'q'>, work: (q: Queries) => Promise<T>, tries = 3): Promise<T> {
  try {
    return await db.q.transaction().execute(work)
  } catch (error) {
    if (tries > 1 && Object(error).code === '40P01') return transact(db, work, tries - 1)
    throw error
  }
}
