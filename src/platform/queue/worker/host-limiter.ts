import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'

/** Tasks that one host and port may have in flight at once. */
export const perHost = 2
const longestQueue = 20
/** The gap between the refused tasks of one busy host when they come back: two slots of about a second each. */
const comeBackEvery: Milliseconds = seconds(0.5)

/** A task that needs a slot on its host. */
type Turn = {
  turnAt: Instant
  start: () => Promise<void>
  /** Called instead of `start` if too many older tasks are waiting; this one may come back after that time. */
  refuse: (after: Milliseconds) => void
}
type Host = { running: number; queue: Turn[]; bookedUntil: Milliseconds }

/** Caps what is in flight on each host, oldest turn first. A crowded host refuses tasks, so it never occupies the whole worker. */
export function hostLimiter(elapsed: () => Milliseconds) {
  const known = new Map<string, Host>()

  const run = (name: string, host: Host, turn: Turn) => {
    host.running += 1
    void turn.start().finally(() => {
      host.running -= 1
      const next = host.queue.shift()
      if (next) run(name, host, next)
      else if (host.running === 0 && host.bookedUntil <= elapsed()) known.delete(name)
    })
  }

  return {
    add(name: string, turn: Turn) {
      const host = known.get(name) ?? { running: 0, queue: [], bookedUntil: 0 }
      known.set(name, host)
      if (host.running < perHost) return run(name, host, turn)
      const newer = host.queue.findIndex((other) => other.turnAt > turn.turnAt)
      host.queue.splice(newer < 0 ? host.queue.length : newer, 0, turn)
      if (host.queue.length <= longestQueue) return
      host.bookedUntil = Math.max(host.bookedUntil, elapsed() + seconds(1)) + comeBackEvery
      host.queue.pop()?.refuse(Math.ceil(host.bookedUntil - elapsed()))
    },
  }
}
