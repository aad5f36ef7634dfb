import { LRUCache } from 'lru-cache'
import { HttpError, tooMany } from '../../shared/http-error.ts'
import { type Milliseconds, minutes, seconds } from '../../shared/time.ts'

const per = minutes(1)

/** How often a user may make us call other hosts; every API call that leads to such a visit takes from these. */
export type VisitLimits = ReturnType<typeof visitLimits>

/** What begins in its turn begins at the same rates. */
export const runsApart: Milliseconds = per / 60
export const urlsApart: Milliseconds = per / 300

/** Each that answers nothing throws a 429 if none is left. */
export function visitLimits(elapsed: () => Milliseconds) {
  const ofUser = rateLimiter(elapsed, { most: per / runsApart, per, refusal: 'Too many checks, tests and runs.' })
  const urlsOfUser = rateLimiter(elapsed, { most: per / urlsApart, per, refusal: 'Too many new URLs.' })
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
  /** As many as are asked for, or none; returns whether there were enough. */
  const takeAll = (limit: RateLimiter) => (userId: string, count: number) => {
    const taken: (() => void)[] = []
    try {
      while (taken.length < count) taken.push(limit(userId))
      return true
    } catch (refusal) {
      for (const giveBack of taken) giveBack()
      if (refusal instanceof HttpError) return false
      throw refusal
    }
  }
  return {
    /** For a check, a preview or a test. */
    takeCheck: ofUser,
    /** For runs, and for first runs of new URLs, that begin in their turn if there is no room for all of them at once. */
    takeChecks: takeAll(ofUser),
    takeUrls: takeAll(urlsOfUser),
    /** For a run that may have to wait its turn. */
    takeRunOfEntry: runsOfEntry,
    /** For a URL that is new or changed. */
    takeUrl: urlsOfUser,
    takeRun,
    /** The same for a run that can wait: returns whether it may start now. */
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
/** Takes one for this key and returns how to give it back. Throws a 429 if none is left. */
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
    if (oldest !== undefined && recent.length >= most) throw tooMany(refusal, oldest + per - now, 'second')
    taken.set(key, [...recent, now])
    return () => {
      const times = taken.get(key)
      const at = times?.indexOf(now) ?? -1
      if (at >= 0) taken.set(key, times!.toSpliced(at, 1))
    }
  }
}

/** How many visits may be at one place at once, and how many may begin there in a second. */
const most = 2
const perPlace = seconds(1)
const gap: Milliseconds = perPlace / most
/** Idle places are forgotten once there are this many, and again whenever their number has doubled. */
const manyPlaces = 1_000

/** Where visits are limited: an address for one owner, or for all of them a host and port that is exempt from the rate. */
export type Place = { name: string; hasRate: boolean }
/** How long to wait for a place; a visit that has waited before is not sent away in favour of others that will come back. */
export type Patience = { wait: Milliseconds; hasWaited: boolean }

type Waiting = { begin: () => void }
/** `bookedUntil`: when the last one that was sent away comes back. */
type Known = { inside: number; begun: Milliseconds[]; queue: Waiting[]; bookedUntil: Milliseconds; hasRate: boolean }

// Not by `fairQueue`: a place has one owner, so what counts is the rate and when to come back.
/** Limits visits by their places. A visit that finds none free waits in line for a moment, or is told when to come back. */
export function visitPlaces(elapsed: () => Milliseconds) {
  const known = new Map<string, Known>()
  let forgetAt = manyPlaces

  const find = ({ name, hasRate }: Place) => {
    const place = known.get(name) ?? { inside: 0, begun: [], queue: [], bookedUntil: 0, hasRate }
    known.set(name, place)
    if (known.size > forgetAt) forgetIdle()
    return place
  }
  const forgetIdle = () => {
    for (const [name, place] of known) {
      const isIdle = place.inside + place.queue.length === 0 && pauseOf(place) <= 0
      if (isIdle && place.bookedUntil <= elapsed()) known.delete(name)
    }
    forgetAt = Math.max(manyPlaces, 2 * known.size)
  }
  /** How long until another may begin, as far as the rate goes. */
  const pauseOf = ({ hasRate, begun }: Known) => {
    const [first] = begun
    return hasRate && first !== undefined && begun.length === most ? first + perPlace - elapsed() : 0
  }
  const isFree = (place: Known) => place.inside < most && pauseOf(place) <= 0
  const begin = (place: Known) => {
    place.inside += 1
    place.begun = [...place.begun, elapsed()].slice(-most)
    return () => {
      place.inside -= 1
      callNext(place)
    }
  }
  const callNext = (place: Known) => {
    while (place.queue.length > 0 && isFree(place)) place.queue.shift()!.begin()
    const pause = pauseOf(place)
    if (place.queue.length > 0 && place.inside < most) setTimeout(callNext, Math.ceil(pause), place)
  }
  const enterAtOnce = (at: Place, { wait, hasWaited }: Patience): (() => void) | Milliseconds | undefined => {
    const place = find(at)
    const isBooked = !hasWaited && place.bookedUntil > elapsed() + wait
    if (place.queue.length === 0 && isFree(place) && !isBooked) return begin(place)
    return place.hasRate && (isBooked || (place.queue.length + 1) * gap > wait) ? book(place) : undefined
  }
  const book = (place: Known): Milliseconds => {
    if (!place.hasRate) return perPlace
    place.bookedUntil = Math.max(place.bookedUntil, elapsed() + perPlace) + gap
    return Math.ceil(place.bookedUntil - elapsed())
  }

  return {
    /** Enters at once if there is room and nobody waits; returns how to leave. */
    tryEnter(at: Place): (() => void) | undefined {
      const place = find(at)
      return place.queue.length === 0 && isFree(place) ? begin(place) : undefined
    },
    /** Returns how to leave or when to come back, if that is known at once. */
    enterAtOnce,
    /** Waits in line, and returns how to leave, or when to come back. */
    enter(at: Place, patience: Patience): { entered: Promise<(() => void) | Milliseconds>; giveUp: () => void } {
      const place = find(at)
      const atOnce = enterAtOnce(at, patience)
      if (atOnce !== undefined) return { entered: Promise.resolve(atOnce), giveUp: () => {} }
      const { promise: entered, resolve } = Promise.withResolvers<(() => void) | Milliseconds>()
      const waiting = {
        begin() {
          clearTimeout(timer)
          resolve(begin(place))
        },
      }
      const giveUp = () => {
        clearTimeout(timer)
        callNext(place)
        if (!place.queue.includes(waiting)) return
        place.queue = place.queue.filter((other) => other !== waiting)
        resolve(book(place))
      }
      const timer = setTimeout(giveUp, patience.wait)
      place.queue.push(waiting)
      callNext(place)
      return { entered, giveUp }
    },
  }
}
export type VisitPlaces = ReturnType<typeof visitPlaces>
