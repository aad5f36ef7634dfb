import type { Instant, Milliseconds } from '../../../shared/time.ts'

/** A smaller step is drift, which harms no schedule. */
const leastStep: Milliseconds = 500
/** A process that was paused between reading two clocks cannot compare them. */
const longestLook: Milliseconds = 100

/** How far the clock was set, and the time by the new setting at which it last ran evenly. */
export type ClockStep = { by: Milliseconds; since: Instant }

/** The clock that due times follow: it runs evenly and is set only by `follow`, once all planned work has moved along. */
export function steadyClock({ now, elapsed, look }: ClockOptions) {
  let ahead = now() - elapsed()
  let lookedAt = elapsed()
  return {
    now: (): Instant => Math.ceil(ahead + elapsed()),
    /** How far the clock was set since it last ran evenly; undefined while it still does. */
    async step(): Promise<ClockStep | undefined> {
      await look?.()
      const at = elapsed()
      const wall = now()
      if (elapsed() - at > longestLook) return undefined
      const by = Math.round(wall - at - ahead)
      const since = Math.floor(wall - (at - lookedAt))
      if (Math.abs(by) >= leastStep) return { by, since }
      ahead += by
      lookedAt = at
      return undefined
    },
    follow({ by }: ClockStep) {
      ahead += by
      lookedAt = elapsed()
    },
  }
}

export type ClockOptions = {
  now: () => Instant
  elapsed: () => Milliseconds
  /** Reads the database's clock anew; absent where the clock is the machine's. */
  look?: (() => Promise<void>) | undefined
}
