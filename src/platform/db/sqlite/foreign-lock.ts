import { type Milliseconds, seconds } from '../../../shared/time.ts'

/** Short enough that nobody notices, long enough that waiting costs little. */
const pause: Milliseconds = 10
/** A lock that is held longer is no ordinary write of another program. */
const ordinary: Milliseconds = seconds(1)

/**
 * Waits for a lock that another program holds, for at most `patience` since it was first found; `onLong` is called if it
 * is held for more than a second. After `patience` nobody waits any more until the lock is released.
 */
export function foreignLock({ patience, onLong }: { patience: Milliseconds; onLong: () => void }) {
  let met: { isTooLong: boolean; timers: NodeJS.Timeout[] } | undefined

  function meet() {
    const lock = {
      isTooLong: false,
      timers: [
        setTimeout(onLong, Math.min(ordinary, patience)).unref(),
        setTimeout(() => {
          lock.isTooLong = true
        }, patience).unref(),
      ],
    }
    return lock
  }

  return {
    /** Resolves with true after a moment, or with false if waiting any longer is pointless. */
    async waitFor(): Promise<boolean> {
      met ??= meet()
      if (met.isTooLong) return false
      await new Promise((resolve) => setTimeout(resolve, pause))
      return true
    },
    released() {
      if (!met) return
      for (const timer of met.timers) clearTimeout(timer)
      met = undefined
    },
  }
}
