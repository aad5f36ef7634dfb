import { sql } from 'kysely'
import type { Instant, Milliseconds } from '../../shared/time.ts'
import type { Db } from './open.ts'

export const databaseTime = async ({ q }: Pick<Db, 'q'>): Promise<Instant> => {
  const { rows } = await sql<{ at: Instant }>`select extract(epoch from clock_timestamp()) * 1000 as at`.execute(q)
  return rows[0]!.at
}

/** The clock that `read` returns: read by `look`, and carried on by `elapsed` in between, independent of the machine's own clock. */
export async function databaseClock(read: () => Promise<Instant>, elapsed: () => Milliseconds) {
  let ahead: Milliseconds | undefined
  const look = async () => {
    const before = elapsed()
    const at = await read()
    const [least, most] = [at - elapsed(), at - before]
    // It was read at some moment in between, so it is corrected only as far as it can't be right.
    ahead = Math.min(Math.max(ahead ?? (least + most) / 2, least), most)
  }
  await look()
  return { now: (): Instant => Math.floor((ahead ?? 0) + elapsed()), look }
}
