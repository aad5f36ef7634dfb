import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'
import { type FairQueue, fairQueue } from '../../fair-queue.ts'

/** How early a task may start, to share a wake-up with its neighbors. */
export const slot: Milliseconds = 50

/** Starts a slot's tasks together, to share a transaction: a timer each raised a ping's CPU time from 0.5 to 0.9 ms. */
export function timerQueue(elapsed: () => Milliseconds) {
  const slots = new Map<Milliseconds, { timer: NodeJS.Timeout; starts: (() => void)[] }>()

  const open = (from: Milliseconds) => {
    const starts: (() => void)[] = []
    const timer = setTimeout(() => {
      slots.delete(from)
      for (const start of starts) start()
    }, from - elapsed())
    const opened = { timer, starts }
    slots.set(from, opened)
    return opened
  }

  return {
    /** Calls `start` at this time or up to a slot earlier; immediately if that is in the past. */
    at(time: Milliseconds, start: () => void) {
      const from = time - (time % slot)
      if (from <= elapsed()) return start()
      const { starts } = slots.get(from) ?? open(from)
      starts.push(start)
    },
    clear() {
      for (const { timer } of slots.values()) clearTimeout(timer)
      slots.clear()
    },
  }
}

/** A sleep that ends early when new work requires it. Times are those of `elapsed`. */
export function alarm(elapsed: () => Milliseconds) {
  let soonest = Number.POSITIVE_INFINITY
  let rearm = () => {}

  return {
    /** Forgets all wake-up times so far; call it before looking for work. */
    reset() {
      soonest = Number.POSITIVE_INFINITY
    },
    /** Ends the current or the next sleep at this time at the latest. */
    wakeBy(time: Milliseconds) {
      if (time >= soonest) return
      soonest = time
      rearm()
    },
    sleep: (ms: Milliseconds) =>
      new Promise<void>((resolve) => {
        const until = elapsed() + ms
        let timer: NodeJS.Timeout | undefined
        rearm = () => {
          clearTimeout(timer)
          const rest = Math.min(until, soonest) - elapsed()
          // Even the shortest timer takes more than a millisecond, which would delay every delivery.
          if (rest <= 0) resolve()
          else timer = setTimeout(resolve, rest)
        }
        rearm()
      }),
  }
}

/** How many tasks may be in flight on one host and port. */
export const perHost = 2
const longestQueue = 20
/** The interval between retries of the tasks that one busy host refused: it has two slots of about a second each. */
const comeBackEvery: Milliseconds = seconds(0.5)
/** When to retry a task whose owner has used up their share of the worker. */
const shareComesBackAfter: Milliseconds = seconds(10)

type Turn = {
  ownerId: string
  turnAt: Instant
  start: () => Promise<void>
  /** Called instead of `start` if too many older tasks wait, or too many of this owner; retry after this time. */
  refuse: (after: Milliseconds) => void
}
type Host = { queue: FairQueue; bookedUntil: Milliseconds }

/**
 * Limits the tasks on each host; owners take turns, each with their oldest turn first. A crowded host refuses tasks,
 * and an owner may start another only while more of `capacity` is free than they occupy: neither fills the worker.
 */
export function hostLimiter(elapsed: () => Milliseconds, capacity: number) {
  const hosts = new Map<string, Host>()
  const shares = fairQueue({ concurrency: capacity, mostWaiting: 0, leavesRoom: true })

  const addToHost = (name: string, { ownerId, turnAt, start, refuse }: Turn, endShare: () => void) => {
    const queue = () => fairQueue({ concurrency: perHost, mostWaiting: longestQueue })
    const host: Host = hosts.get(name) ?? { queue: queue(), bookedUntil: 0 }
    hosts.set(name, host)
    host.queue.add({
      owner: ownerId,
      at: turnAt,
      begin(leave) {
        void start().finally(() => {
          endShare()
          leave()
          if (host.queue.isIdle() && host.bookedUntil <= elapsed()) hosts.delete(name)
        })
      },
      refuse() {
        endShare()
        host.bookedUntil = Math.max(host.bookedUntil, elapsed() + seconds(1)) + comeBackEvery
        refuse(Math.ceil(host.bookedUntil - elapsed()))
      },
    })
  }

  return {
    add(name: string, turn: Turn) {
      shares.add({
        owner: turn.ownerId,
        at: turn.turnAt,
        begin: (endShare) => addToHost(name, turn, endShare),
        refuse: () => turn.refuse(shareComesBackAfter),
      })
    },
  }
}
