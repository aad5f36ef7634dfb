import { randomUUID } from 'node:crypto'
import type { ExpressionBuilder } from 'kysely'
import type { Context } from '../../platform/context.ts'
import { hashOf } from '../../platform/crypto/secrets.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { tooMany } from '../../shared/http-error.ts'
import { type Instant, type Milliseconds, minutes } from '../../shared/time.ts'

/** The longest window that a limit may have. */
export const rateLimitSpan: Milliseconds = minutes(15)

/** Limits events per key and window (15 minutes at most), across instances. `refusal` begins the 429's message. */
export function storedRateLimiter(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { most, span = rateLimitSpan, refusal }: { most: number; span?: Milliseconds; refusal: string },
) {
  /** A window that began between these is open. A later start means a set-back clock: instances differ by less. */
  const windowBounds = (at: Instant) => ({ oldestStart: at - span, newestStart: at + minutes(1) })
  const find = (key: string) =>
    db.q.selectFrom('rate_limits').select(['count', 'last_request']).where('key', '=', key).executeTakeFirst()

  return {
    /** Throws a 429 if the limit is reached; never writes. */
    async requireRoom(key: string): Promise<void> {
      const at = now()
      const { oldestStart, newestStart } = windowBounds(at)
      const row = await find(key)
      if (!row || row.count < most || row.last_request <= oldestStart || row.last_request > newestStart) return
      throw tooMany(refusal, row.last_request + span - at, 'minute')
    },

    /** Counts in advance, so that concurrent calls can't exceed the limit. Throws a 429 if the limit is reached. */
    async acquire(key: string): Promise<void> {
      const at = now()
      const { oldestStart, newestStart } = windowBounds(at)
      const isOver = (eb: ExpressionBuilder<Tables, 'rate_limits'>) =>
        eb.or([eb('rate_limits.last_request', '<=', oldestStart), eb('rate_limits.last_request', '>', newestStart)])
      const row = await db.q
        .insertInto('rate_limits')
        .values({ id: randomUUID(), key, count: 1, last_request: at })
        .onConflict((on) =>
          on
            .column('key')
            .doUpdateSet((eb) => {
              const starts = isOver(eb)
              const count = eb('rate_limits.count', '+', 1)
              return {
                count: eb.case().when(starts).then(1).else(count).end(),
                last_request: eb.case().when(starts).then(at).else(eb.ref('rate_limits.last_request')).end(),
              }
            })
            .where((eb) => eb.or([isOver(eb), eb('rate_limits.count', '<', most)])),
        )
        .returning('count')
        .executeTakeFirst()
      if (row) return
      throw tooMany(refusal, ((await find(key))?.last_request ?? at) + span - at, 'minute')
    },

    async release(key: string): Promise<void> {
      await db.q
        .updateTable('rate_limits')
        .set((eb) => ({ count: eb('count', '-', 1) }))
        .where('key', '=', key)
        .where('count', '>', 0)
        .execute()
    },

    async forget(key: string): Promise<void> {
      await db.q.deleteFrom('rate_limits').where('key', '=', key).execute()
    },
  }
}

export type Count = { limiter: ReturnType<typeof storedRateLimiter>; key: string }

/** Returns the counts of an address: one for each of its networks, narrowest first, each with its own limit. */
export function networkCounts(
  context: Pick<Context, 'db' | 'now'>,
  { most, refusal, keyOf }: { most: readonly number[]; refusal: string; keyOf: (network: string) => string },
): (address: string) => Count[] {
  const limiters = most.map((most) => storedRateLimiter(context, { most, refusal }))
  return (address) => networksOf(address).map((network, n) => ({ limiter: limiters[n]!, key: keyOf(network) }))
}

/** A key that doesn't reveal its parts. */
export const hashedKey = (name: string, ...parts: string[]): string => `${name}:${hashOf(parts.join('\n'))}`

/** Throws a 429 if any limit is reached; takes nothing. */
export async function requireRoomIn(counts: readonly Count[]): Promise<void> {
  for (const { limiter, key } of counts) await limiter.requireRoom(key)
}

/** Takes one from every count. If any limit is reached, takes none and throws a 429. */
export async function acquireAll(counts: readonly Count[]): Promise<void> {
  // Read first, so that a flood of refused attempts causes no writes.
  await requireRoomIn(counts)
  const acquiredCounts: Count[] = []
  try {
    for (const count of counts) {
      await count.limiter.acquire(count.key)
      acquiredCounts.push(count)
    }
  } catch (error) {
    await releaseAll(acquiredCounts)
    throw error
  }
}

/** Runs `work`, counted in advance, so concurrent calls can't exceed a limit. Errors count only if `counting` says so. */
export async function countAttempt<Result>(
  counts: readonly Count[],
  work: () => Promise<Result>,
  counting: (error: unknown) => boolean = () => false,
): Promise<Result> {
  await acquireAll(counts)
  try {
    return await work()
  } catch (error) {
    if (!counting(error)) await releaseAll(counts)
    throw error
  }
}

export async function releaseAll(counts: readonly Count[]): Promise<void> {
  for (const { limiter, key } of counts) await limiter.release(key)
}
