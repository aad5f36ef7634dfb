import { sql } from 'kysely'
import { deleteInBatches } from '../platform/db/delete-in-batches.ts'
import type { Auth, AuthContext } from './better-auth.ts'
import { rateLimitSpan } from './credentials/stored-rate-limit.ts'
import { toAuthInstant } from './users/auth-values.ts'

/** Starts dropping what has run out: sessions, half-done sign-ins and counts of failures. To be called now and then. */
export function cleanUp({ db, now }: AuthContext, { background }: Auth): () => void {
  return () =>
    background.once('tidying sessions', async () => {
      const at = now()
      const over = toAuthInstant(db.kind, at)
      const key: ['id'] = ['id']
      for (const table of ['sessions', 'verifications'] as const)
        await deleteInBatches(db.q, table, { key, where: sql`expires_at <= ${over}` })
      await deleteInBatches(db.q, 'rate_limits', { key, where: sql`last_request <= ${at - rateLimitSpan}` })
    })
}
