import type { Milliseconds } from '../../../shared/time.ts'

/** Sleeps that end early: whoever learns of work says by when somebody has to be awake. Times are those of `elapsed`. */
export function alarm(elapsed: () => Milliseconds) {
  let soonest = Number.POSITIVE_INFINITY
  let rearm = () => {}

  return {
    /** Forgets what was said so far, before one looks for oneself. */
    reset() {
      soonest = Number.POSITIVE_INFINITY
    },
    /** Ends this sleep, or the one about to begin, at this time at the latest. */
    wakeBy(time: Milliseconds) {
      if (time >= soonest) return
      soonest = time
      rearm()
    },
    sleep: (ms: Milliseconds) =>
      new Promise<void>((resolve) => {
        const until = elapsed() + ms
        let timer: NodeJS.Timeout | undefined
        rearm = () => {
          clearTimeout(timer)
          timer = setTimeout(resolve, Math.max(0, Math.min(until, soonest) - elapsed()))
        }
        rearm()
      }),
  }
}
