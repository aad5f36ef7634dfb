import type { Instant } from '../../shared/time.ts'
import { seconds } from '../../shared/time.ts'

/** Tasks that one host and port may have in flight at once. */
export const perHost = 2
const longestQueue = 20
/** How far apart returned tasks of one busy host come back: two slots of about a second each. */
const comeBackEvery = seconds(0.5)

type Host = { running: number; queue: (() => void)[]; bookedUntil: Instant }

/** Keeps each host at its cap, without letting a crowded one hold the whole worker. */
export function hostLimiter(now: () => Instant) {
  const known = new Map<string, Host>()

  const free = (name: string, host: Host) => {
    const next = host.queue.shift()
    if (next) return next()
    host.running -= 1
    if (host.running === 0 && host.bookedUntil <= now()) known.delete(name)
  }

  return {
    /** Runs `task` when its host has a free slot; answers instead when to come back if its queue is full. */
    add(name: string, task: () => Promise<void>): Instant | undefined {
      const host = known.get(name) ?? { running: 0, queue: [], bookedUntil: 0 }
      known.set(name, host)
      const start = () => void task().finally(() => free(name, host))
      if (host.running < perHost) {
        host.running += 1
        start()
        return undefined
      }
      if (host.queue.length < longestQueue) {
        host.queue.push(start)
        return undefined
      }
      host.bookedUntil = Math.max(host.bookedUntil, now() + seconds(1)) + comeBackEvery
      return host.bookedUntil
    },
  }
}
