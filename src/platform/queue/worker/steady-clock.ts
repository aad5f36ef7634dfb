import type { Instant, Milliseconds } from '../../../shared/time.ts'

/** Less is drift, and hurts no schedule. */
const leastStep: Milliseconds = 500
/** A process that pauses between two clocks cannot compare them. */
const longestLook: Milliseconds = 100

/** How far the clock was set, and what it would have shown, as it goes now, when it was last seen to go evenly. */
export type ClockStep = { by: Milliseconds; since: Instant }

/** The clock as due times go by it: evenly, and set only by `follow`, once everything planned has moved along. */
export function steadyClock({ now, elapsed, look }: ClockOptions) {
  let ahead = now() - elapsed()
  let lookedAt = elapsed()
  return {
    now: (): Instant => Math.ceil(ahead + elapsed()),
    /** How far the clock was set since; undefined while it goes evenly. */
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
  /** Reads the clock anew, where it is the database's. */
  look?: (() => Promise<void>) | undefined
}
