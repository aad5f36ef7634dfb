import { randomUUID } from 'node:crypto'
import type { Background } from '../../platform/background.ts'
import type { Context } from '../../platform/context.ts'
import type { DeliverOnce } from '../../platform/live/live-streams.ts'
import { claimMissed, eventOf, giveBack, markSeen } from './store.ts'

/** Hands screens what their users missed, and remembers what they saw, without making anybody wait. */
export function deliverOnce(
  { db, now }: Pick<Context, 'db' | 'now'>,
  background: Pick<Background, 'once'>,
): DeliverOnce {
  return {
    missed(userId, write) {
      // Two screens of one user may ask at once: each does so by a name of its own.
      background.once(`handing over missed notifications ${randomUUID()}`, () =>
        db.q.transaction().execute(async (q) => {
          const missed = await claimMissed(q, userId, now())
          if (missed.length === 0 || write(missed.map((one) => eventOf(one, { userId })))) return
          await giveBack(q, userId, missed)
        }),
      )
    },
    delivered(id, userIds) {
      background.once(`marking notification ${id} as seen`, () => markSeen(db, id, userIds))
    },
  }
}
