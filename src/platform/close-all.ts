import { setTimeout as pause } from 'node:timers/promises'
import type { Milliseconds } from '../shared/time.ts'

type Closer = { what: string; close: () => unknown; within: Milliseconds }

/** Closes everything in order, even if some of it fails or takes too long. Throws all that went wrong. */
export async function closeAll(closers: readonly Closer[]): Promise<void> {
  const failed: unknown[] = []
  for (const { what, close, within } of closers) {
    const inTime = new AbortController()
    const late = pause(within, undefined, inTime).then(() => {
      throw new Error(`The ${what} did not close within ${within / 1_000} s.`)
    })
    late.catch(() => {})
    try {
      await Promise.race([close(), late])
    } catch (error) {
      failed.push(error)
    }
    inTime.abort()
  }
  if (failed.length > 0) throw new AggregateError(failed, failed.map((error) => Object(error).message).join(' '))
}
