import { setTimeout as wait } from 'node:timers/promises'
import type { Milliseconds } from '../../shared/time.ts'
import type { Db, Queries } from './open.ts'

/** How long to wait before each repetition, so that the other transaction takes the released lock first. */
const pauses: Milliseconds[] = [50, 500]

/** Runs a transaction, and repeats it at most twice if PostgreSQL aborts it because of a deadlock. */
export const transact = <T>(db: Pick<Db, 'q'>, work: (q: Queries) => Promise<T>): Promise<T> =>
  retryDeadlocks(() => db.q.transaction().execute(work))

/** Does the same for any write, such as a single statement. */
export async function retryDeadlocks<T>(write: () => Promise<T>, [pause, ...more] = pauses): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (pause === undefined || Object(error).code !== '40P01') throw error
    await wait(pause)
    return retryDeadlocks(write, more)
  }
}
