import type { Context } from '../../../platform/context.ts'
import type { Milliseconds } from '../../../shared/time.ts'
import { seconds } from '../../../shared/time.ts'

/** Calls to Discord in any second: it bans an address that makes more than 50. */
const ceiling = 40
const second = seconds(1)
const manyPaused = 1_000

/** When Discord may be called: a limit for all webhooks of this process together, and pauses for each or all. */
export function discordRateLimiter(elapsed: () => Milliseconds) {
  const calls: Milliseconds[] = []
  const pausedUntil = new Map<string, Milliseconds>()
  let allPausedUntil: Milliseconds = 0
  let bookedUntil: Milliseconds = 0

  const forgetPast = () => {
    for (const [id, until] of pausedUntil) if (until <= elapsed()) pausedUntil.delete(id)
  }
  const called = () => {
    calls.push(elapsed())
    if (calls.length > ceiling) calls.shift()
  }

  return {
    /** Counts a call of this webhook and answers 0, or answers how long to wait before asking again. */
    tryAcquire(webhookId: string): Milliseconds {
      const at = elapsed()
      const pause = Math.max(allPausedUntil, pausedUntil.get(webhookId) ?? 0) - at
      if (pause > 0) return pause
      const oldest = calls.at(-ceiling)
      if (oldest !== undefined && oldest + second > at) {
        // Calls beyond the limit get a time one after the other.
        bookedUntil = Math.max(bookedUntil, oldest + second) + second / ceiling
        return bookedUntil - at
      }
      called()
      return 0
    },
    /** Counts a call that doesn't wait. */
    called,
    pause(webhookId: string, wait: Milliseconds) {
      if (pausedUntil.size > manyPaused) forgetPast()
      pausedUntil.set(webhookId, Math.max(pausedUntil.get(webhookId) ?? 0, elapsed() + wait))
    },
    pauseAll(wait: Milliseconds) {
      allPausedUntil = Math.max(allPausedUntil, elapsed() + wait)
    },
    /** Whether nothing at all may be sent now. */
    isPaused: () => allPausedUntil > elapsed(),
  }
}
export type DiscordRateLimiter = ReturnType<typeof discordRateLimiter>

const limiters = new WeakMap<Context['outbound'], DiscordRateLimiter>()

/** The rate limiter of a process: calls through one outbound client count together. */
export function discordRateLimiterOf({ outbound, elapsed }: Pick<Context, 'outbound' | 'elapsed'>): DiscordRateLimiter {
  const known = limiters.get(outbound) ?? discordRateLimiter(elapsed)
  limiters.set(outbound, known)
  return known
}
