import { allowanceSpan } from '../platform/allowance.ts'
import type { Auth, AuthKit } from './better-auth.ts'
import { toAuthInstant } from './users/auth-values.ts'

/** Starts dropping what has run out: sessions, half-done sign-ins and counts of failures. To be called now and then. */
export function tidy({ db, now }: AuthKit, { background }: Auth): () => void {
  return () =>
    background.once('tidying sessions', async () => {
      const at = now()
      const over = toAuthInstant(db.kind, at)
      await db.q.deleteFrom('sessions').where('expires_at', '<=', over).execute()
      await db.q.deleteFrom('verifications').where('expires_at', '<=', over).execute()
      const counted = at - allowanceSpan
      await db.q.deleteFrom('rate_limits').where('last_request', '<=', counted).execute()
    })
}
