import type { Context } from '../../../platform/context.ts'
import type { Milliseconds } from '../../../shared/time.ts'
import { seconds } from '../../../shared/time.ts'

/** Calls of Discord in any second: it bans an address that makes more than 50. */
const ceiling = 40
const second = seconds(1)
const manyResting = 1_000

/** When Discord may be called, for all webhooks of this process together and each of its own. */
export function discordRateLimiter(elapsed: () => Milliseconds) {
  const calls: Milliseconds[] = []
  const resting = new Map<string, Milliseconds>()
  let restsAll: Milliseconds = 0
  let bookedUntil: Milliseconds = 0

  const forgetRested = () => {
    for (const [id, until] of resting) if (until <= elapsed()) resting.delete(id)
  }
  const called = () => {
    calls.push(elapsed())
    if (calls.length > ceiling) calls.shift()
  }

  return {
    /** Counts one call of this webhook and answers 0, or how long to wait before asking again. */
    tryAcquire(webhookId: string): Milliseconds {
      const at = elapsed()
      const rest = Math.max(restsAll, resting.get(webhookId) ?? 0) - at
      if (rest > 0) return rest
      const oldest = calls.at(-ceiling)
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
      resting.set(webhookId, Math.max(resting.get(webhookId) ?? 0, elapsed() + wait))
    },
    restAll(wait: Milliseconds) {
      restsAll = Math.max(restsAll, elapsed() + wait)
    },
    /** Whether nothing at all may be sent now. */
    isResting: () => restsAll > elapsed(),
  }
}
export type DiscordRateLimiter = ReturnType<typeof discordRateLimiter>

const paces = new WeakMap<Context['outbound'], DiscordRateLimiter>()

/** The one pace of a process: what leaves by one way out counts together. */
export function discordRateLimiterOf({ outbound, elapsed }: Pick<Context, 'outbound' | 'elapsed'>): DiscordRateLimiter {
  const known = paces.get(outbound) ?? discordRateLimiter(elapsed)
  paces.set(outbound, known)
  return known
}
