import { randomUUID } from 'node:crypto'
import type { Background } from '../../platform/background.ts'
import type { Context } from '../../platform/context.ts'
import type { DeliverOnce } from '../../platform/live/live-streams.ts'
import { claimMissed, eventOf, giveBack, markSeen } from './store.ts'

/** Sends screens what their users missed and records what they have seen, in the background. */
export function deliverOnce(
  { db, now }: Pick<Context, 'db' | 'now'>,
  background: Pick<Background, 'once'>,
): DeliverOnce {
  return {
    missed(userId, write) {
      // Two screens of one user may ask at once, so each needs a name of its own.
      background.once(`delivering missed notifications ${randomUUID()}`, () =>
        db.q.transaction().execute(async (tx) => {
          const missed = await claimMissed(tx, userId, now())
          if (missed.length === 0 || write(missed.map((one) => eventOf(one, { userId })))) return
          await giveBack(tx, userId, missed)
        }),
      )
    },
    delivered(id, userIds) {
      background.once(`marking notification ${id} as seen`, () => markSeen(db, id, userIds))
    },
  }
}
