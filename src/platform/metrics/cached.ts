import { singleFlight } from '../../shared/async.ts'
import type { Milliseconds } from '../../shared/time.ts'

/** Reads at most once in this time; callers in between get what was read last. */
export function cached<T>(elapsed: () => Milliseconds, time: Milliseconds, read: () => Promise<T>): () => Promise<T> {
  const once = singleFlight<T>()
  let last: { value: T; at: Milliseconds } | undefined
  return () => {
    if (last && elapsed() - last.at < time) return Promise.resolve(last.value)
    return once('', async () => {
      const value = await read()
      last = { value, at: elapsed() }
      return value
    })
  }
}
