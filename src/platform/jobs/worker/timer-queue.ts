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
