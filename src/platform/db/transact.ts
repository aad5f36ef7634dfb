import type { Db, Queries } from './open.ts'

/** Runs a transaction, and repeats it at most twice if PostgreSQL aborts it because of a deadlock. */
export const transact = <T>(db: Pick<Db, 'q'>, work: (q: Queries) => Promise<T>): Promise<T> =>
  retryDeadlocks(() => db.q.transaction().execute(work))

/** The same for a single statement or a transaction. */
export async function retryDeadlocks<T>(write: () => Promise<T>, tries = 3): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (tries > 1 && Object(error).code === '40P01') return retryDeadlocks(write, tries - 1)
    throw error
  }
}
