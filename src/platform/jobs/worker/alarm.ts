import type { Milliseconds } from '../../../shared/time.ts'

/** A sleep that ends early: whoever learns of new work says when to wake up. Times are those of `elapsed`. */
export function alarm(elapsed: () => Milliseconds) {
  let soonest = Number.POSITIVE_INFINITY
  let rearm = () => {}

  return {
    /** Forgets all wake-up times so far; call it before looking for work. */
    reset() {
      soonest = Number.POSITIVE_INFINITY
    },
    /** Ends the current or the next sleep at this time at the latest. */
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
          const rest = Math.min(until, soonest) - elapsed()
          // The shortest timer takes a millisecond and more, which every delivery would wait for.
          if (rest <= 0) resolve()
          else timer = setTimeout(resolve, rest)
        }
        rearm()
      }),
  }
}
