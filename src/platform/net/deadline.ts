import type { Milliseconds } from '../../shared/time.ts'
import { type Failure, internal, stopped, timeoutAfter } from './failure.ts'

/** Starts an operation that settles once, and returns a function that aborts it. */
export type Step<T> = (settle: (outcome: T | Failure) => void) => () => void

export type Deadline = ReturnType<typeof deadline>

/** One time limit for all steps of an exchange. */
export function deadline(timeout: Milliseconds, now: () => Milliseconds) {
  const began = now()
  let untimed = 0
  let failure: Failure | undefined
  let interrupt: ((why: Failure) => void) | undefined
  const end = (why: Failure) => {
    failure ??= why
    interrupt?.(failure)
  }
  const run = (rest: Milliseconds) => setTimeout(() => end(timeoutAfter(timeout)), rest)
  let timer = run(timeout)

  /** Runs a step. If time runs out or the exchange is stopped, aborts the step and resolves with that failure. */
  const step = <T>(begin: Step<T>) =>
    new Promise<T | Failure>((resolve) => {
      if (failure) return resolve(failure)
      let open = true
      const settle: Parameters<typeof begin>[0] = (outcome) => {
        if (!open) return
        open = false
        interrupt = undefined
        resolve(outcome)
      }
      try {
        const giveUp = begin(settle)
        if (!open) return
        interrupt = (why) => {
          settle(why)
          giveUp()
        }
      } catch (error) {
        settle(internal(error))
      }
    })

  return {
    step,
    /** Runs a step whose duration does not count towards the limit. */
    async untimed<T>(begin: Step<T>): Promise<T | Failure> {
      const from = now()
      clearTimeout(timer)
      const outcome = await step(begin)
      untimed += now() - from
      timer = run(Math.max(0, began + timeout + untimed - now()))
      return outcome
    },
    untimedFor: () => untimed,
    stop: () => end(stopped),
    clear: () => clearTimeout(timer),
  }
}
