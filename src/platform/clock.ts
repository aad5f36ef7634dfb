import { uptime } from 'node:os'
import { sql } from 'kysely'
import type { Instant, Milliseconds } from '../shared/time.ts'
import type { Db } from './db/open.ts'

/** A smaller difference between the clocks doesn't mean that the machine has slept. */
const leastSleep: Milliseconds = 1_000
const leastJump: Milliseconds = 250

/** The machine's clocks. */
const machine = { awake: () => performance.now(), up: () => uptime() * 1_000, now: Date.now }

/**
 * A clock that is never set and that runs on while the machine sleeps. On Linux `performance.now()` stops during sleep.
 * `os.uptime()` runs on, but reads a file (8 µs) and counts hundredths of a second, so it is read only if the wall clock
 * has jumped, to distinguish sleep from a clock that was set.
 */
export function elapsedOnMachine(
  clocks: { awake: () => Milliseconds; up: () => Milliseconds; now: () => Instant } = machine,
) {
  const head = clocks.up() - clocks.awake()
  let lead = clocks.now() - clocks.awake()
  let slept = 0
  return (): Milliseconds => {
    const awake = clocks.awake()
    const jump = clocks.now() - awake - lead
    if (Math.abs(jump) >= leastJump) {
      lead += jump
      const found = clocks.up() - awake - head
      if (found - slept >= leastSleep) slept = found
    }
    return awake + slept
  }
}

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

/** `now` may be set by the machine's timekeeper, `elapsed` only runs on, and `look` reads `now` anew if it is not the machine's clock. */
export type Clock = { now: () => Instant; elapsed: () => Milliseconds; look?: () => Promise<void> }

export const systemClock: Clock = { now: Date.now, elapsed: elapsedOnMachine() }

/** The clock that all instances on this database share: a shared database's own clock, so that no machine's clock matters. */
export async function sharedClock(db: Db, { now, elapsed }: Clock, read = () => databaseTime(db)): Promise<Clock> {
  return db.isShared ? { ...(await databaseClock(read, elapsed)), elapsed } : { now, elapsed }
}
