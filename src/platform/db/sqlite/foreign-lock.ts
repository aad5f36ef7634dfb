import { type Milliseconds, seconds } from '../../../shared/time.ts'

/** Short enough that nobody notices, long enough that waiting costs nothing. */
const pause: Milliseconds = 10
/** A lock that is held for longer is no ordinary write of another program. */
const ordinary: Milliseconds = seconds(1)

/**
 * Waits for a lock that another program holds, for `patience` from when it was first met until it was got; `onLong`
 * hears of one that is held for more than a second. Whoever meets a lock that is held for longer is refused at once.
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
    /** Resolves after a moment, or answers false when there is nothing more to wait for. */
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
