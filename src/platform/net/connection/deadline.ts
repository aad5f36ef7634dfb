import type { Milliseconds } from '../../../shared/time.ts'
import { type Failure, internal, stopped, timeoutAfter } from '../failure.ts'

/** Begins something that settles once, and returns how to give it up. */
export type Step<T> = (settle: (outcome: T | Failure) => void) => () => void

/** One time limit for all steps of an exchange. */
export type Deadline = {
  /** Runs a step. If time runs out or the exchange is stopped, it gives the step up and settles with that failure. */
  step<T>(begin: Step<T>): Promise<T | Failure>
  stop(): void
  /** Clears the timer once the exchange is over. */
  clear(): void
}

export function deadline(timeout: Milliseconds, signal: AbortSignal | undefined): Deadline {
  let ended: Failure | undefined
  let interrupt: ((why: Failure) => void) | undefined
  const end = (why: Failure) => {
    ended ??= why
    interrupt?.(ended)
  }
  const stop = () => end(stopped)
  const timer = setTimeout(() => end(timeoutAfter(timeout)), timeout)
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()

  return {
    step: (begin) =>
      new Promise((resolve) => {
        if (ended) return resolve(ended)
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
      }),
    stop,
    clear: () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    },
  }
}
