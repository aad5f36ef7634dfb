import type { Milliseconds } from '../shared/time.ts'

/** Waits for this, but no longer than that: then it answers undefined, and what was waited for goes on unheard. */
export async function within<T>(limit: Milliseconds, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), limit)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
