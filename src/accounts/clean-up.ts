import { sql } from 'kysely'
import { deleteInBatches } from '../platform/db/rows/delete-in-batches.ts'
import { days, type Milliseconds } from '../shared/time.ts'
import type { Auth, AuthContext } from './better-auth.ts'
import { rateLimitSpan } from './credentials/stored-rate-limit.ts'

/** Half-done sign-ins are stamped by machines, whose clocks may be apart. */
const clocksApart: Milliseconds = days(1)

/** Starts dropping what has run out: sessions, half-done sign-ins and counts of failures. To be called now and then. */
export function cleanUp({ db, now }: AuthContext, { background }: Auth): () => void {
  return () =>
    background.once('cleaning up sessions', async () => {
      const at = now()
      const key: ['id'] = ['id']
      for (const [table, since] of [
        ['sessions', at],
        ['verifications', at - clocksApart],
      ] as const)
        await deleteInBatches(db.q, table, { key, where: sql`expires_at <= ${db.timestamp(since)}` })
      await deleteInBatches(db.q, 'rate_limits', { key, where: sql`last_request <= ${at - rateLimitSpan}` })
    })
}
