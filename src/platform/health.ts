import { type Milliseconds, seconds } from '../shared/time.ts'

/** The longest time without progress for something that has work to do. */
const patience: Milliseconds = seconds(15)

export type Watch = {
  /** It has work to do; the time counts from the first call since it last made progress. */
  begin(): void
  /** It has done some of its work. */
  progress(): void
}
export type Health = {
  /** Watches an activity; `/readyz` answers this word if it is stalled. */
  watch(word: string): Watch
  /** The word of an activity that has had work to do for 15 s without progress. */
  standstill(): string | undefined
}

/** Notices background activities that are stalled. `elapsed` is a clock that is never set. */
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
    standstill() {
      const now = elapsed()
      return [...busySince.values()].find(({ since }) => now - since >= patience)?.word
    },
  }
}
