import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'

/** Tasks that one host and port may have in flight at once. */
export const perHost = 2
const longestQueue = 20
/** The gap between the refused tasks of one busy host when they come back: two slots of about a second each. */
const comeBackEvery: Milliseconds = seconds(0.5)
/** When a task comes back whose owner has taken their share of the worker. */
const shareComesBackAfter: Milliseconds = seconds(10)

/** A task that needs a slot on its host. */
type Turn = {
  ownerId: string
  turnAt: Instant
  start: () => Promise<void>
  /** Called instead of `start` if too many older tasks are waiting, or too many of this owner; this one may come back after that time. */
  refuse: (after: Milliseconds) => void
}
/** `served`: when each owner was last given a slot, as a number that only grows. */
type Host = { running: number; queue: Turn[]; bookedUntil: Milliseconds; served: Map<string, number> }

/**
 * Caps what is in flight on each host: owners in turn, the oldest turn of each first. A crowded host refuses tasks, so it
 * never occupies the whole worker. Neither does an owner, who may begin another task while more of the `capacity` is free
 * than they have taken.
 */
export function hostLimiter(elapsed: () => Milliseconds, capacity: number) {
  const known = new Map<string, Host>()
  const taken = new Map<string, number>()
  let inAll = 0
  let slots = 0

  const count = ({ ownerId }: Turn, by: 1 | -1) => {
    const own = (taken.get(ownerId) ?? 0) + by
    inAll += by
    if (own === 0) taken.delete(ownerId)
    else taken.set(ownerId, own)
  }
  const run = (name: string, host: Host, turn: Turn) => {
    host.running += 1
    slots += 1
    host.served.set(turn.ownerId, slots)
    void turn.start().finally(() => {
      count(turn, -1)
      host.running -= 1
      const next = takeNext(host)
      if (next) run(name, host, next)
      else if (host.running === 0 && host.bookedUntil <= elapsed()) known.delete(name)
    })
  }

  return {
    add(name: string, turn: Turn) {
      if ((taken.get(turn.ownerId) ?? 0) >= capacity - inAll) return turn.refuse(shareComesBackAfter)
      const host = known.get(name) ?? { running: 0, queue: [], bookedUntil: 0, served: new Map() }
      known.set(name, host)
      count(turn, 1)
      if (host.running < perHost) return run(name, host, turn)
      const newer = host.queue.findIndex((other) => other.turnAt > turn.turnAt)
      host.queue.splice(newer < 0 ? host.queue.length : newer, 0, turn)
      if (host.queue.length <= longestQueue) return
      host.bookedUntil = Math.max(host.bookedUntil, elapsed() + seconds(1)) + comeBackEvery
      const refused = takeNewest(host)
      count(refused, -1)
      refused.refuse(Math.ceil(host.bookedUntil - elapsed()))
    },
  }
}

/** Takes the oldest turn of the owner who was served longest ago out of the queue. */
function takeNext({ queue, served }: Host): Turn | undefined {
  const servedAt = ({ ownerId }: Turn) => served.get(ownerId) ?? 0
  const longestAgo = Math.min(...queue.map(servedAt))
  const index = queue.findIndex((turn) => servedAt(turn) === longestAgo)
  return queue.splice(index, index < 0 ? 0 : 1)[0]
}

/** Takes the newest turn of the owner with the most turns out of the queue. */
function takeNewest({ queue }: Host): Turn {
  const owners = Map.groupBy(queue, ({ ownerId }) => ownerId)
  const most = Math.max(...[...owners.values()].map((own) => own.length))
  const index = queue.findLastIndex(({ ownerId }) => owners.get(ownerId)?.length === most)
  return queue.splice(index, 1)[0]!
}
