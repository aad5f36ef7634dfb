import pLimit from 'p-limit'
import type { Milliseconds } from './time.ts'

// For a limit of how many at once, `p-limit`; for questions asked together, `dataloader`.

/** Does work by a key unless the same is under way: then everybody shares its end. */
export function singleFlight<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const underWay = new Map<string, Promise<T>>()
  return (key, work) => {
    const current = underWay.get(key) ?? work().finally(() => underWay.delete(key))
    underWay.set(key, current)
    return current
  }
}

/** Does work that is the same for everybody once for all who ask while it has not begun: nobody gets what was so before they asked. */
export function nextFlight<T>(work: () => Promise<T>): () => Promise<T> {
  const inTurn = pLimit(1)
  let next: Promise<T> | undefined
  const begin = async () => {
    // Requests that arrived in the same turn of the event loop join in.
    await new Promise((resolve) => setImmediate(resolve))
    next = undefined
    return work()
  }
  return () => {
    next ??= inTurn(begin)
    return next
  }
}

/** Waits for this, but no longer than that: then it answers undefined, and what was waited for goes on unheard. */
export async function within<T>(limit: Milliseconds, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), limit)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
