import { setTimeout as pause } from 'node:timers/promises'
import { allInTurn } from '../shared/async.ts'
import type { Milliseconds } from '../shared/time.ts'

type Closer = { what: string; close: () => unknown; within: Milliseconds }

/** Closes everything in order, even if some of it fails or takes too long. Throws all that went wrong. */
export const closeAll = (closers: readonly Closer[]): Promise<void> =>
  allInTurn(closers.map((closer) => () => closeOne(closer)))

async function closeOne({ what, close, within }: Closer): Promise<void> {
  const inTime = new AbortController()
  const late = pause(within, undefined, inTime).then(() => {
    throw new Error(`The ${what} did not close within ${within / 1_000} s.`)
  })
  late.catch(() => {})
  try {
    await Promise.race([close(), late])
  } finally {
    inTime.abort()
  }
}
