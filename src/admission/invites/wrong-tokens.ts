import { createHash } from 'node:crypto'
import type { Context } from '../../platform/context.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { HttpError } from '../../shared/http-error.ts'
import { storedRateLimiter } from '../../sign-in/limits/stored-rate-limit.ts'

/** How many wrong tokens, and emails and usernames that are taken, may come within a quarter of an hour from an address, and from the wider networks around it. */
const most = [20, 60, 100]

/** Limits by network what tells strangers something: wrong tokens and taken names. What succeeds never counts. */
export function wrongTokens(context: Pick<Context, 'db' | 'now'>) {
  const limiters = most.map((most) =>
    storedRateLimiter(context, { most, refusal: 'Too many failed attempts from your network.' }),
  )
  const counts = (address: string) =>
    networksOf(address).map((network, n) => ({
      limiter: limiters[n]!,
      key: `invite:${createHash('sha256').update(network).digest('hex')}`,
    }))
  /** Counts one. Throws a 429 if it is one too many. */
  async function count(address: string): Promise<void> {
    for (const { limiter, key } of counts(address)) await limiter.take(key)
  }
  return {
    count,
    /** Throws a 429 if too many came from around this address. */
    async assertRoom(address: string): Promise<void> {
      for (const { limiter, key } of counts(address)) await limiter.assertRoom(key)
    },
    /** Does this, and counts it if it fails with a 409: in advance, so that simultaneous ones learn no more. */
    async countTaken<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
      await count(address)
      let isTaken = false
      try {
        return await work()
      } catch (error) {
        isTaken = error instanceof HttpError && error.status === 409
        throw error
      } finally {
        if (!isTaken) for (const { limiter, key } of counts(address)) await limiter.giveBack(key)
      }
    },
  }
}
