import { type Milliseconds, seconds } from '../shared/time.ts'

/** How long an activity with work to do may go without progress. */
const stalledAfter: Milliseconds = seconds(15)

/** Detects stalled background activities. `elapsed` is a monotonic clock. */
export function createHealth(elapsed: () => Milliseconds) {
  const busySince = new Map<symbol, { word: string; since: Milliseconds }>()
  return {
    /** Watches an activity; `/readyz` returns this word if it is stalled. */
    watch(word: string) {
      const key = Symbol(word)
      return {
        /** The activity has work to do. Time counts from the first call since its last progress. */
        begin() {
          if (!busySince.has(key)) busySince.set(key, { word, since: elapsed() })
        },
        /** The activity has made progress. It counts as idle until the next `begin`. */
        progress() {
          busySince.delete(key)
        },
      }
    },
    /** The word of an activity that has had work to do for 15 s without progress; undefined if there is none. */
    stalledActivity(): string | undefined {
      const now = elapsed()
      return [...busySince.values()].find(({ since }) => now - since >= stalledAfter)?.word
    },
  }
}
export type Health = ReturnType<typeof createHealth>
export type Watch = ReturnType<Health['watch']>
