import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'

/** Tasks that one host and port may have in flight at once. */
export const perHost = 2
const longestQueue = 20
/** How far apart refused tasks of one busy host come back: two places of about a second each. */
const comeBackEvery: Milliseconds = seconds(0.5)

/** A task that wants a place on its host. */
export type Turn = {
  turnAt: Instant
  start: () => Promise<void>
  /** Called instead of `start` when too many older ones wait; it may come back after this time. */
  refuse: (after: Milliseconds) => void
}
type Host = { running: number; queue: Turn[]; bookedUntil: Milliseconds }

/** Keeps each host at its cap, the oldest turn first, without letting a crowded one hold the whole worker. */
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
