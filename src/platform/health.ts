import { type Milliseconds, seconds } from '../shared/time.ts'

/** Nothing that has something to do may stand still for longer. */
const patience: Milliseconds = seconds(15)

/** One activity that goes on by itself. */
export type Watch = {
  /** It has something to do; counts from the first call since it last made progress. */
  begin(): void
  /** It has done some of it. */
  progress(): void
}
export type Health = {
  /** Watches an activity under the word that `/readyz` gives when it stands still. */
  watch(word: string): Watch
  /** The word of an activity that has had something to do for 15 s and made no progress. */
  standstill(): string | undefined
}

/** Notices what stands still and would otherwise do so unseen. `elapsed` is a clock that nobody sets. */
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
