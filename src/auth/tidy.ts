import { hours, type Instant } from '../shared/time.ts'
import { toAuthInstant } from '../users/store.ts'
import type { Auth, AuthKit } from './better-auth.ts'
import { failureWindow } from './guess-limit.ts'

/** Drops what has run out, at most once an hour, without making anybody wait. */
export function tidy({ db, now }: AuthKit, { background }: Auth): () => void {
  let last: Instant = Number.NEGATIVE_INFINITY
  return () => {
    const at = now()
    if (at - last < hours(1)) return
    last = at
    background.once('tidying sessions', async () => {
      const over = toAuthInstant(db.kind, at)
      await db.q.deleteFrom('sessions').where('expires_at', '<=', over).execute()
      await db.q.deleteFrom('verifications').where('expires_at', '<=', over).execute()
      await db.q
        .deleteFrom('rate_limits')
        .where('last_request', '<=', at - failureWindow)
        .execute()
    })
  }
}
