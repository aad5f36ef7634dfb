import type { Kit } from '../../server/kit.ts'
import type { Instant, Milliseconds } from '../../shared/time.ts'
import { seconds } from '../../shared/time.ts'

/** Calls of Discord in any second: it bans an address that makes more than 50. */
const ceiling = 40
const second = seconds(1)
const manyResting = 1_000

/** When Discord may be called, for all webhooks of this process together and each of its own. */
export function pace(now: () => Instant) {
  const calls: Instant[] = []
  const resting = new Map<string, Instant>()
  let restsAll: Instant = 0
  let bookedUntil: Instant = 0

  const forgetRested = () => {
    for (const [id, until] of resting) if (until <= now()) resting.delete(id)
  }
  const called = () => {
    calls.push(now())
    if (calls.length > ceiling) calls.shift()
  }

  return {
    /** Counts one call of this webhook and answers 0, or how long to wait before asking again. */
    admit(webhookId: string): Milliseconds {
      const at = now()
      const rest = Math.max(restsAll, resting.get(webhookId) ?? 0) - at
      if (rest > 0) return rest
      // Calls after this instant were made before the clock was set back, and say nothing of this second.
      const oldest = calls.filter((call) => call <= at).at(-ceiling)
      if (oldest !== undefined && oldest + second > at) {
        // Those that are too many come back one after the other.
        bookedUntil = Math.max(bookedUntil, oldest + second) + second / ceiling
        return bookedUntil - at
      }
      called()
      return 0
    },
    /** Counts a call that does not wait. */
    called,
    rest(webhookId: string, wait: Milliseconds) {
      if (resting.size > manyResting) forgetRested()
      resting.set(webhookId, Math.max(resting.get(webhookId) ?? 0, now() + wait))
    },
    restAll(wait: Milliseconds) {
      restsAll = Math.max(restsAll, now() + wait)
    },
    /** Whether nothing at all may be sent now. */
    isResting: () => restsAll > now(),
  }
}
export type Pace = ReturnType<typeof pace>

const paces = new WeakMap<Kit['outbound'], Pace>()

/** The one pace of a process: what leaves by one way out counts together. */
export function paceOf({ outbound, now }: Pick<Kit, 'outbound' | 'now'>): Pace {
  const known = paces.get(outbound) ?? pace(now)
  paces.set(outbound, known)
  return known
}
