import type { Logger } from 'pino'
import { type Instant, type Milliseconds, minutes } from '../../../shared/time.ts'

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

/** How often to look for jobs that were planned by a wrong clock. */
const lookEvery: Milliseconds = minutes(1)

/** Moves all planned work along when the clock is set. */
export function clockFollower(options: {
  clock: ReturnType<typeof steadyClock>
  elapsed: () => Milliseconds
  log: Logger
  /** Moves all jobs that were planned before the step, in one transaction. */
  shift: (step: ClockStep) => Promise<void>
  plannedAhead: () => Promise<Instant | undefined>
  /** Called when the jobs have moved. */
  shifted: (by: Milliseconds) => void
}) {
  const { clock, elapsed, log } = options
  let looksAgainAt = Number.NEGATIVE_INFINITY

  return {
    /** Follows a step that this process has seen. Never call it while results are being written: they would miss the step. */
    async step() {
      const step = await clock.step()
      if (!step) return
      await options.shift(step)
      options.shifted(step.by)
      clock.follow(step)
      log.warn({ seconds: step.by / 1_000 }, 'The clock was set. Everything that is planned moves along.')
    },

    /** Brings back jobs that lie too far ahead: the clock was set back between two starts, or before the planning instance noticed. */
    async bringBack() {
      if (elapsed() < looksAgainAt) return
      const ahead = await options.plannedAhead()
      if (ahead !== undefined) {
        const by = clock.now() - ahead
        await options.shift({ by, since: 0 })
        log.warn({ seconds: by / 1_000 }, 'The clock was set back. Everything that is planned moves along.')
      }
      looksAgainAt = elapsed() + lookEvery
    },
  }
}
