import { randomUUID } from 'node:crypto'
import type { ExpressionBuilder } from 'kysely'
import type { Context } from '../../platform/context.ts'
import { hashOf } from '../../platform/crypto/secrets.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { tooMany } from '../../shared/http-error.ts'
import { type Instant, type Milliseconds, minutes } from '../../shared/time.ts'

/** The longest time after which counting starts again: a quarter of an hour. */
export const rateLimitSpan: Milliseconds = minutes(15)

/** Limits how often something may happen within a time, per key. Counts in the database, across restarts and instances; `span` is a quarter of an hour at most, `refusal` begins the message of the 429. */
export function storedRateLimiter(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { most, span = rateLimitSpan, refusal }: { most: number; span?: Milliseconds; refusal: string },
) {
  /** A count goes on if it began between these. Later than the second means that the clock was set back: instances are never that far apart. */
  const goesOn = (at: Instant) => ({ over: at - span, setBack: at + minutes(1) })
  const find = (key: string) =>
    db.q.selectFrom('rate_limits').select(['count', 'last_request']).where('key', '=', key).executeTakeFirst()

  return {
    /** Throws a 429 if the limit is reached, and writes nothing. */
    async assertRoom(key: string): Promise<void> {
      const at = now()
      const { over, setBack } = goesOn(at)
      const row = await find(key)
      if (!row || row.count < most || row.last_request <= over || row.last_request > setBack) return
      throw tooMany(refusal, row.last_request + span - at, 'minute')
    },

    /** Counts one in advance, so that simultaneous ones can't exceed the limit. Throws a 429 if the limit is reached. */
    async take(key: string): Promise<void> {
      const at = now()
      const { over, setBack } = goesOn(at)
      const isOver = (eb: ExpressionBuilder<Tables, 'rate_limits'>) =>
        eb.or([eb('rate_limits.last_request', '<=', over), eb('rate_limits.last_request', '>', setBack)])
      const taken = await db.q
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
      if (taken) return
      throw tooMany(refusal, ((await find(key))?.last_request ?? at) + span - at, 'minute')
    },

    /** Uncounts one that did not happen. */
    async giveBack(key: string): Promise<void> {
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

/** The counts of an address: of its narrowest network, and of the wider ones around it, each with its own limit. */
export function networkCounts(
  context: Pick<Context, 'db' | 'now'>,
  { most, refusal, keyOf }: { most: readonly number[]; refusal: string; keyOf: (network: string) => string },
): (address: string) => Count[] {
  const limiters = most.map((most) => storedRateLimiter(context, { most, refusal }))
  return (address) => networksOf(address).map((network, n) => ({ limiter: limiters[n]!, key: keyOf(network) }))
}

/** A key that tells nothing of its parts. */
export const hashedKey = (name: string, ...parts: string[]): string => `${name}:${hashOf(parts.join('\n'))}`

/** Counts one everywhere, or nowhere if one of the limits is reached. */
export async function takeAll(counts: readonly Count[]): Promise<void> {
  // A flood of what is refused must not keep the database busy.
  for (const { limiter, key } of counts) await limiter.assertRoom(key)
  const taken: Count[] = []
  try {
    for (const count of counts) {
      await count.limiter.take(count.key)
      taken.push(count)
    }
  } catch (error) {
    await giveBackAll(taken)
    throw error
  }
}

export async function giveBackAll(counts: readonly Count[]): Promise<void> {
  for (const { limiter, key } of counts) await limiter.giveBack(key)
}
