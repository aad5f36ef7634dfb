import { type Milliseconds, seconds } from '../shared/time.ts'

/** How long an activity with work to do may go without progress. */
const stalledAfter: Milliseconds = seconds(15)

export type Watch = {
  /** The activity has work to do. Time counts from the first call since its last progress. */
  begin(): void
  /** The activity has made progress. It counts as idle until the next `begin`. */
  progress(): void
}
export type Health = {
  /** Watches an activity; `/readyz` returns this word if it is stalled. */
  watch(word: string): Watch
  /** The word of an activity that has had work to do for 15 s without progress; undefined if there is none. */
  stalledActivity(): string | undefined
}

/** Detects stalled background activities. `elapsed` is a monotonic clock. */
export function createHealth(elapsed: () => Milliseconds): Health {
  const busySince = new Map<symbol, { word: string; since: Milliseconds }>()
  return {
    watch(word) {
      const key = Symbol(word)
      return {
        begin() {
          if (!busySince.has(key)) busySince.set(key, { word, since: elapsed() })
        },
        progress() {
          busySince.delete(key)
        },
      }
    },
    stalledActivity() {
      const now = elapsed()
      return [...busySince.values()].find(({ since }) => now - since >= stalledAfter)?.word
    },
  }
}
