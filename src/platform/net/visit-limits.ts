import { LRUCache } from 'lru-cache'
import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, minutes, seconds } from '../../shared/time.ts'

const per = minutes(1)

/** How often a user may make us call other hosts; every API call that leads to such a visit takes from these. */
export type VisitLimits = ReturnType<typeof visitLimits>

/** Each except `mayRun` throws a 429 if none is left. */
export function visitLimits(elapsed: () => Milliseconds) {
  const ofUser = rateLimiter(elapsed, { most: 60, per, refusal: 'Too many checks, tests and runs.' })
  const urlsOfUser = rateLimiter(elapsed, { most: 300, per, refusal: 'Too many new URLs.' })
  const runsOfEntry = rateLimiter(elapsed, { most: 6, per, refusal: 'Too many runs of this entry.' })
  const takeRun = (userId: string, entryId: string) => {
    const giveBack = runsOfEntry(entryId)
    try {
      ofUser(userId)
    } catch (refusal) {
      giveBack()
      throw refusal
    }
  }
  return {
    /** For a check, a preview or a test. */
    takeCheck: ofUser,
    /** For a URL that is new or changed. */
    takeUrl: urlsOfUser,
    /** For a run that a user starts. */
    takeRun,
    /** The same for a run that can wait: answers whether it may start now. */
    mayRun(userId: string, entryId: string): boolean {
      try {
        takeRun(userId, entryId)
        return true
      } catch (refusal) {
        if (refusal instanceof HttpError) return false
        throw refusal
      }
    },
  }
}

/** At most this number within any period of this length, for each key; `refusal` says what there was too much of. */
type RateLimit = { most: number; per: Milliseconds; refusal: string }
/** Takes one for this key and answers how to give it back. Throws a 429 if none is left. */
type RateLimiter = (key: string) => () => void

/** How many keys are remembered; beyond that, the least recently used one starts afresh. */
const mostKeys = 10_000

/** Counts in memory, so a restart begins anew and each instance counts for itself. */
export function rateLimiter(elapsed: () => Milliseconds, { most, per, refusal }: RateLimit): RateLimiter {
  // With `max`, there would be room for all of them from the start: in each limit, on each start.
  const taken = new LRUCache<string, Milliseconds[]>({ maxSize: mostKeys, sizeCalculation: () => 1 })
  return (key) => {
    const now = elapsed()
    const recent = (taken.get(key) ?? []).filter((at) => at > now - per)
    const [oldest] = recent
    if (oldest !== undefined && recent.length >= most) throw tooMany(refusal, oldest + per - now)
    taken.set(key, [...recent, now])
    return () => {
      const times = taken.get(key)
      const at = times?.indexOf(now) ?? -1
      if (at >= 0) taken.set(key, times!.toSpliced(at, 1))
    }
  }
}

function tooMany(refusal: string, wait: Milliseconds): HttpError {
  const left = Math.max(1, Math.ceil(wait / seconds(1)))
  return new HttpError(429, `${refusal} Try again in ${left === 1 ? 'a second' : `${left} seconds`}.`, {
    retryAfter: left,
  })
}
