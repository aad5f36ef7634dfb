import type { Logger } from 'pino'
import { type Instant, type Milliseconds, minutes } from '../../shared/time.ts'
import type { ClockStep, steadyClock } from './steady-clock.ts'

/** How often to look for what another process planned. */
const lookEvery: Milliseconds = minutes(1)

/** Keeps what is planned where it was meant to be when the wall clock is set. */
export function clockFollower(options: {
  clock: ReturnType<typeof steadyClock>
  elapsed: () => Milliseconds
  log: Logger
  /** Moves all jobs that were planned before the step, in one transaction. */
  shift: (step: ClockStep) => Promise<void>
  plannedAhead: () => Promise<Instant | undefined>
  /** The jobs have moved. */
  shifted: (by: Milliseconds) => void
}) {
  const { clock, elapsed } = options
  let looksAgainAt = Number.NEGATIVE_INFINITY
  let aheadBefore: Instant | undefined

  return {
    /** Follows a step that this process has seen; never to be called while results are written, so that none crosses it. */
    async own() {
      const step = clock.step()
      if (!step) return
      await options.shift(step)
      options.shifted(step.by)
      clock.follow(step)
      options.log.warn({ seconds: step.by / 1_000 }, 'The clock was set. Everything that is planned moves along.')
    },

    /** Brings back what lies too far ahead since the clock was set back between two starts, or since another instance died whose clock was wrong. */
    async others() {
      if (elapsed() < looksAgainAt) return
      const isFirst = looksAgainAt === Number.NEGATIVE_INFINITY
      const ahead = await options.plannedAhead()
      // An instance that is at work with a wrong clock goes on planning ahead: that is for its operator to mend.
      if (ahead !== undefined && (isFirst || ahead === aheadBefore)) {
        const by = clock.now() - ahead
        await options.shift({ by, since: 0 })
        options.log.warn({ seconds: by / 1_000 }, 'The clock was set back. Everything that is planned moves along.')
      }
      aheadBefore = ahead
      looksAgainAt = elapsed() + lookEvery
    },
  }
}
