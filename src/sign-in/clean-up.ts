import { sql } from 'kysely'
import type { Context } from '../platform/context.ts'
import { deleteInBatches } from '../platform/db/rows/write.ts'
import { allInTurn } from '../shared/async.ts'
import { days, type Milliseconds } from '../shared/time.ts'
import { deleteOldNetworks } from './api-keys.ts'
import { longestSession } from './auth.ts'
import { knownDeviceLife, knownNetworkLife } from './limits/known-places.ts'
import { rateLimitSpan } from './limits/stored-rate-limit.ts'

/** Each machine stamps the sign-ins it starts by its own clock. */
const clocksApart: Milliseconds = days(1)

/** Deletes expired sessions, unfinished sign-ins, counts of wrong guesses, and where somebody was long ago. */
export async function cleanUpSignIns({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> {
  const { q, timestamp } = db
  const at = now()
  const abandoned = timestamp(at - clocksApart)
  await allInTurn([
    () =>
      deleteInBatches(q, 'sessions', {
        key: ['id'],
        where: sql`expires_at <= ${timestamp(at)} or created_at <= ${timestamp(at - longestSession)}`,
      }),
    () => deleteInBatches(q, 'verifications', { key: ['id'], where: sql`expires_at <= ${abandoned}` }),
    () => deleteInBatches(q, 'rate_limits', { key: ['id'], where: sql`last_request <= ${at - rateLimitSpan}` }),
    () =>
      deleteInBatches(q, 'known_network', {
        key: ['user_id', 'network'],
        where: sql`last_at <= ${at - knownNetworkLife}`,
      }),
    () =>
      deleteInBatches(q, 'known_device', {
        key: ['user_id', 'device', 'network'],
        where: sql`last_at <= ${at - knownDeviceLife}`,
      }),
    () => deleteOldNetworks(q, at),
  ])
}
