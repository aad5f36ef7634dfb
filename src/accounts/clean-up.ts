import type { Auth, AuthContext } from './better-auth.ts'
import { rateLimitSpan } from './credentials/stored-rate-limit.ts'
import { toAuthInstant } from './users/auth-values.ts'

/** Starts dropping what has run out: sessions, half-done sign-ins and counts of failures. To be called now and then. */
export function cleanUp({ db, now }: AuthContext, { background }: Auth): () => void {
  return () =>
    background.once('tidying sessions', async () => {
      const at = now()
      const over = toAuthInstant(db.kind, at)
      await db.q.deleteFrom('sessions').where('expires_at', '<=', over).execute()
      await db.q.deleteFrom('verifications').where('expires_at', '<=', over).execute()
      const counted = at - rateLimitSpan
      await db.q.deleteFrom('rate_limits').where('last_request', '<=', counted).execute()
    })
}
