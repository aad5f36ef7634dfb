import { LRUCache } from 'lru-cache'
import { HttpError, tooMany } from '../../shared/http-error.ts'
import { type Milliseconds, minutes, seconds } from '../../shared/time.ts'

const per = minutes(1)

/** How often a user may make us visit other hosts; every API call that leads to a visit counts. */
export type VisitLimits = ReturnType<typeof visitLimits>

/** Queued runs and URLs start at the same rates, with these gaps. */
export const runsApart: Milliseconds = per / 60
export const urlsApart: Milliseconds = per / 300

/** Each method throws a 429 if none is left, unless it returns a boolean. */
export function visitLimits(elapsed: () => Milliseconds) {
  const ofUser = rateLimiter(elapsed, { most: per / runsApart, per, refusal: 'Too many checks, tests and runs.' })
  const urlsOfUser = rateLimiter(elapsed, { most: per / urlsApart, per, refusal: 'Too many new URLs.' })
  const runsOfEntry = rateLimiter(elapsed, { most: 6, per, refusal: 'Too many runs of this entry.' })
  const consumeRun = (userId: string, entryId: string) => {
    const refund = runsOfEntry(entryId)
    try {
      ofUser(userId)
    } catch (refusal) {
      refund()
      throw refusal
    }
  }
  const tryConsumeAll = (limit: RateLimiter) => (userId: string, count: number) => {
    const refunds: (() => void)[] = []
    try {
      while (refunds.length < count) refunds.push(limit(userId))
      return true
    } catch (refusal) {
      for (const refund of refunds) refund()
      if (refusal instanceof HttpError) return false
      throw refusal
    }
  }
  return {
    /** For a check, a preview or a test. */
    consumeCheck: ofUser,
    /** For bulk runs, and first runs of new URLs, which are queued if they can't all start immediately. */
    tryConsumeChecks: tryConsumeAll(ofUser),
    tryConsumeUrls: tryConsumeAll(urlsOfUser),
    /** For a run that may be queued. */
    consumeRunOfEntry: runsOfEntry,
    /** For a URL that is new or changed. */
    consumeUrl: urlsOfUser,
    consumeRun,
    /** Like `consumeRun`, for a run that can wait: returns whether it may start now. */
    tryConsumeRun(userId: string, entryId: string): boolean {
      try {
        consumeRun(userId, entryId)
        return true
      } catch (refusal) {
        if (refusal instanceof HttpError) return false
        throw refusal
      }
    },
  }
}

/** The most that each key may take within any period of length `per`; `refusal` names what there was too much of. */
type RateLimit = { most: number; per: Milliseconds; refusal: string }
/** Takes one for this key and returns a function that gives it back. Throws a 429 if none is left. */
type RateLimiter = (key: string) => () => void

const mostKeys = 10_000

/** Counts in memory: a restart clears the counts, and each instance counts separately. */
export function rateLimiter(elapsed: () => Milliseconds, { most, per, refusal }: RateLimit): RateLimiter {
  // `max` would allocate memory for all keys up front, for each limit.
  const timesByKey = new LRUCache<string, Milliseconds[]>({ maxSize: mostKeys, sizeCalculation: () => 1 })
  return (key) => {
    const now = elapsed()
    const recent = (timesByKey.get(key) ?? []).filter((at) => at > now - per)
    const [oldest] = recent
    if (oldest !== undefined && recent.length >= most) throw tooMany(refusal, oldest + per - now, 'second')
    timesByKey.set(key, [...recent, now])
    return () => {
      const times = timesByKey.get(key)
      const at = times?.indexOf(now) ?? -1
      if (at >= 0) timesByKey.set(key, times!.toSpliced(at, 1))
    }
  }
}

/** The most concurrent visits at one place, and the most that may begin there in a second. */
const mostVisits = 2
const perPlace = seconds(1)
const gap: Milliseconds = perPlace / mostVisits
/** Idle places are forgotten once this many places are known, and again each time that number has doubled. */
const manyPlaces = 1_000

/** The scope of a limit: one owner's visits to an address, or all visits to a host and port exempt from the rate. */
export type PermitScope = { name: string; hasRate: boolean }
/** How long to wait in line; a visit that has waited before isn't deferred in favor of others with a retry time. */
export type WaitOptions = { wait: Milliseconds; hasWaited: boolean }

type Waiting = { begin: () => void }
/** `bookedUntil`: when the last deferred visit retries. */
type PlaceState = {
  inside: number
  startTimes: Milliseconds[]
  queue: Waiting[]
  bookedUntil: Milliseconds
  hasRate: boolean
}

// Doesn't use `fairQueue`: a place has one owner, so only the rate and the retry time matter.
/** Limits the visits at each place. A visit that finds it full waits in line briefly, or gets a time to retry after. */
export function visitPermits(elapsed: () => Milliseconds) {
  const scopes = new Map<string, PlaceState>()
  let forgetAt = manyPlaces

  const find = ({ name, hasRate }: PermitScope) => {
    const place = scopes.get(name) ?? { inside: 0, startTimes: [], queue: [], bookedUntil: 0, hasRate }
    scopes.set(name, place)
    if (scopes.size > forgetAt) forgetIdle()
    return place
  }
  const forgetIdle = () => {
    for (const [name, place] of scopes) {
      const isIdle = place.inside + place.queue.length === 0 && pauseOf(place) <= 0
      if (isIdle && place.bookedUntil <= elapsed()) scopes.delete(name)
    }
    forgetAt = Math.max(manyPlaces, 2 * scopes.size)
  }
  /** How long until the rate allows another visit to begin. */
  const pauseOf = ({ hasRate, startTimes }: PlaceState) => {
    const [first] = startTimes
    return hasRate && first !== undefined && startTimes.length === mostVisits ? first + perPlace - elapsed() : 0
  }
  const isFree = (place: PlaceState) => place.inside < mostVisits && pauseOf(place) <= 0
  const begin = (place: PlaceState) => {
    place.inside += 1
    place.startTimes = [...place.startTimes, elapsed()].slice(-mostVisits)
    return () => {
      place.inside -= 1
      callNext(place)
    }
  }
  const callNext = (place: PlaceState) => {
    while (place.queue.length > 0 && isFree(place)) place.queue.shift()!.begin()
    const pause = pauseOf(place)
    if (place.queue.length > 0 && place.inside < mostVisits) setTimeout(callNext, Math.ceil(pause), place)
  }
  const acquireNow = (at: PermitScope, { wait, hasWaited }: WaitOptions): (() => void) | Milliseconds | undefined => {
    const place = find(at)
    const isBooked = !hasWaited && place.bookedUntil > elapsed() + wait
    if (place.queue.length === 0 && isFree(place) && !isBooked) return begin(place)
    return place.hasRate && (isBooked || (place.queue.length + 1) * gap > wait) ? book(place) : undefined
  }
  const book = (place: PlaceState): Milliseconds => {
    if (!place.hasRate) return perPlace
    place.bookedUntil = Math.max(place.bookedUntil, elapsed() + perPlace) + gap
    return Math.ceil(place.bookedUntil - elapsed())
  }

  return {
    /** Enters immediately if there is room and no visit waits in line; returns a function that leaves. */
    tryAcquire(at: PermitScope): (() => void) | undefined {
      const place = find(at)
      return place.queue.length === 0 && isFree(place) ? begin(place) : undefined
    },
    /** Returns a function that leaves, or the time to retry after; undefined if the visit has to wait in line. */
    acquireNow,
    /** Waits in line, then resolves to a function that leaves, or to the time to retry after. */
    acquire(
      at: PermitScope,
      waitOptions: WaitOptions,
    ): { acquired: Promise<(() => void) | Milliseconds>; giveUp: () => void } {
      const place = find(at)
      const atOnce = acquireNow(at, waitOptions)
      if (atOnce !== undefined) return { acquired: Promise.resolve(atOnce), giveUp: () => {} }
      const { promise: acquired, resolve } = Promise.withResolvers<(() => void) | Milliseconds>()
      const waitingVisit = {
        begin() {
          clearTimeout(timer)
          resolve(begin(place))
        },
      }
      const giveUp = () => {
        clearTimeout(timer)
        callNext(place)
        if (!place.queue.includes(waitingVisit)) return
        place.queue = place.queue.filter((other) => other !== waitingVisit)
        resolve(book(place))
      }
      const timer = setTimeout(giveUp, waitOptions.wait)
      place.queue.push(waitingVisit)
      callNext(place)
      return { acquired, giveUp }
    },
  }
}
export type VisitPermits = ReturnType<typeof visitPermits>
