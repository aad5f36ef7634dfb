import type { Milliseconds } from '../../../shared/time.ts'

/** How much early a start may come, so that it shares a wake-up with its neighbours. */
export const slot: Milliseconds = 50

/** Starts everything that falls into one slot of time together, since waking up costs more than most starts. Times are those of `elapsed`. */
export function timerQueue(elapsed: () => Milliseconds) {
  const waiting = new Map<Milliseconds, { timer: NodeJS.Timeout; starts: (() => void)[] }>()

  const open = (from: Milliseconds) => {
    const starts: (() => void)[] = []
    const timer = setTimeout(() => {
      waiting.delete(from)
      for (const start of starts) start()
    }, from - elapsed())
    const opened = { timer, starts }
    waiting.set(from, opened)
    return opened
  }

  return {
    /** Starts at this time or up to a slot earlier; at once if that is in the past. */
    at(time: Milliseconds, start: () => void) {
      const from = time - (time % slot)
      if (from <= elapsed()) return start()
      const { starts } = waiting.get(from) ?? open(from)
      starts.push(start)
    },
    /** Forgets everything that has not started. */
    clear() {
      for (const { timer } of waiting.values()) clearTimeout(timer)
      waiting.clear()
    },
  }
}

/** A sleep that ends early when new work arrives, which says when to wake up. Times are those of `elapsed`. */
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
