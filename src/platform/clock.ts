import { uptime } from 'node:os'
import { sql } from 'kysely'
import type { Instant, Milliseconds } from '../shared/time.ts'
import type { Db } from './db/open.ts'

/** Smaller differences between the clocks don't mean that the machine has slept. */
const leastSleep: Milliseconds = 1_000
const leastJump: Milliseconds = 250

const machine = { awake: () => performance.now(), up: () => uptime() * 1_000, now: Date.now }

/**
 * A monotonic clock that also counts time asleep, unlike `performance.now()` on Linux. `os.uptime()` does, but reads a
 * file (8 µs, 10 ms steps). So it is read only when the wall clock jumps, to tell sleep from a clock that was set.
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

/** A clock set from `read` on each `refresh` and advanced by `elapsed` in between, independent of the wall clock. */
export async function databaseClock(read: () => Promise<Instant>, elapsed: () => Milliseconds) {
  let ahead: Milliseconds | undefined
  const refresh = async () => {
    const before = elapsed()
    const at = await read()
    const [least, most] = [at - elapsed(), at - before]
    // The time was read at some moment between these two, so correct only an offset outside their bounds.
    ahead = Math.min(Math.max(ahead ?? (least + most) / 2, least), most)
  }
  await refresh()
  return { now: (): Instant => Math.floor((ahead ?? 0) + elapsed()), refresh }
}

/** `now` can jump, `elapsed` can't. `refresh` re-reads `now` from the database; absent on the machine's clock. */
export type Clock = { now: () => Instant; elapsed: () => Milliseconds; refresh?: () => Promise<void> }

export const systemClock: Clock = { now: Date.now, elapsed: elapsedOnMachine() }

/** The clock that all instances share: a shared database's own, because machines' clocks differ. */
export async function sharedClock(db: Db, { now, elapsed }: Clock, read = () => databaseTime(db)): Promise<Clock> {
  return db.isShared ? { ...(await databaseClock(read, elapsed)), elapsed } : { now, elapsed }
}
