import { randomUUID } from 'node:crypto'
import type { Context } from '../../platform/context.ts'
import { HttpError } from '../../shared/http-error.ts'
import { type Instant, type Milliseconds, minutes, seconds } from '../../shared/time.ts'

/** The longest time after which counting starts again: a quarter of an hour. */
export const rateLimitSpan: Milliseconds = minutes(15)

/** Limits how often something may happen within a time, per key. */
export type StoredRateLimiter = {
  /** Throws a 429 if the limit is reached, and writes nothing. */
  assertRoom(key: string): Promise<void>
  /** Counts one in advance, so that simultaneous ones can't exceed the limit. Throws a 429 if the limit is reached. */
  take(key: string): Promise<void>
  /** Uncounts one that did not happen. */
  giveBack(key: string): Promise<void>
  /** Resets the count. */
  forget(key: string): Promise<void>
}

/** Counts in the database, across restarts and instances; `span` is a quarter of an hour at most, `refusal` begins the message of the 429. */
export function storedRateLimiter(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { most, span = rateLimitSpan, refusal }: { most: number; span?: Milliseconds; refusal: string },
): StoredRateLimiter {
  /** A count goes on if it began between these. Later than the second means that the clock was set back: instances are never that far apart. */
  const goesOn = (at: Instant) => ({ over: at - span, setBack: at + minutes(1) })
  const find = (key: string) =>
    db.q.selectFrom('rate_limits').select(['count', 'last_request']).where('key', '=', key).executeTakeFirst()

  return {
    async assertRoom(key) {
      const at = now()
      const { over, setBack } = goesOn(at)
      const row = await find(key)
      if (!row || row.count < most || row.last_request <= over || row.last_request > setBack) return
      throw tooMany(refusal, row.last_request + span - at)
    },

    async take(key) {
      const at = now()
      const { over, setBack } = goesOn(at)
      const taken = await db.q
        .insertInto('rate_limits')
        .values({ id: randomUUID(), key, count: 1, last_request: at })
        .onConflict((on) =>
          on
            .column('key')
            .doUpdateSet((eb) => {
              const starts = eb.or([
                eb('rate_limits.last_request', '<=', over),
                eb('rate_limits.last_request', '>', setBack),
              ])
              const count = eb('rate_limits.count', '+', 1)
              return {
                count: eb.case().when(starts).then(1).else(count).end(),
                last_request: eb.case().when(starts).then(at).else(eb.ref('rate_limits.last_request')).end(),
              }
            })
            .where((eb) =>
              eb.or([
                eb('rate_limits.last_request', '<=', over),
                eb('rate_limits.last_request', '>', setBack),
                eb('rate_limits.count', '<', most),
              ]),
            ),
        )
        .returning('count')
        .executeTakeFirst()
      if (taken) return
      throw tooMany(refusal, ((await find(key))?.last_request ?? at) + span - at)
    },

    async giveBack(key) {
      await db.q
        .updateTable('rate_limits')
        .set((eb) => ({ count: eb('count', '-', 1) }))
        .where('key', '=', key)
        .where('count', '>', 0)
        .execute()
    },

    async forget(key) {
      await db.q.deleteFrom('rate_limits').where('key', '=', key).execute()
    },
  }
}

function tooMany(refusal: string, wait: Milliseconds): HttpError {
  const left = Math.max(1, Math.ceil(wait / minutes(1)))
  const again = left === 1 ? 'a minute' : `${left} minutes`
  return new HttpError(429, `${refusal} Try again in ${again}.`, { retryAfter: wait / seconds(1) })
}
