import type { Instant } from '../../shared/time.ts'
import { seconds } from '../../shared/time.ts'

/** Tasks that one target (a host and port) may have in flight at once. */
export const perTarget = 2
const longestQueue = 20
/** How far apart returned tasks of one busy target come back: two slots of about a second each. */
const comeBackEvery = seconds(0.5)

type Target = { running: number; queue: (() => void)[]; bookedUntil: Instant }

/** Keeps each target at its cap, without letting a crowded one hold the whole worker. */
export function targets(now: () => Instant) {
  const known = new Map<string, Target>()

  const free = (name: string, target: Target) => {
    const next = target.queue.shift()
    if (next) return next()
    target.running -= 1
    if (target.running === 0 && target.bookedUntil <= now()) known.delete(name)
  }

  return {
    /** Runs `task` when its target has a free slot; answers instead when to come back if its queue is full. */
    admit(name: string, task: () => Promise<void>): Instant | undefined {
      const target = known.get(name) ?? { running: 0, queue: [], bookedUntil: 0 }
      known.set(name, target)
      const start = () => void task().finally(() => free(name, target))
      if (target.running < perTarget) {
        target.running += 1
        start()
        return undefined
      }
      if (target.queue.length < longestQueue) {
        target.queue.push(start)
        return undefined
      }
      target.bookedUntil = Math.max(target.bookedUntil, now() + seconds(1)) + comeBackEvery
      return target.bookedUntil
    },
  }
}
