import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Background } from '../platform/background.ts'
import type { Context } from '../platform/context.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { instantOf } from '../platform/db/storable.ts'
import type { LiveEvent } from '../platform/live/events.ts'
import type { DeliverOnce } from '../platform/live/live-streams.ts'
import { hours, type Instant, type Milliseconds } from '../shared/time.ts'
import { Notification } from './contract.ts'

/** Users who were away for longer miss the toast. */
const missedWithin: Milliseconds = hours(24)
export const system = 'ToolBox'

export const notificationColumns = ['id', 'type', 'message', 'issued_at', 'author', 'item', 'tool', 'entry_id'] as const
type Row = Record<'id' | 'type' | 'message' | 'author', string> &
  Record<'item' | 'tool' | 'entry_id', string | null> & { issued_at: number }

export const toNotification = ({ issued_at: issuedAt, item, tool, entry_id: id, ...row }: Row): Notification =>
  Notification.parse({
    ...row,
    issuedAt,
    ...(item !== null && { item }),
    ...(tool !== null && id !== null && { entry: { tool, id } }),
  })

export const eventOf = (notification: Notification, to: LiveEvent['to']): LiveEvent => ({
  id: notification.id,
  type: 'notification',
  to,
  data: notification,
})

/** In the background, sends screens the notices that their users missed, and records which were shown. */
export function deliverOnce(
  { db, now }: Pick<Context, 'db' | 'now'>,
  background: Pick<Background, 'once'>,
): DeliverOnce {
  return {
    missed(userId, write) {
      // A user may open two screens at the same time, so each task needs its own name.
      background.once(`delivering missed notifications ${randomUUID()}`, () =>
        db.q.transaction().execute(async (tx) => {
          const missed = await claimMissed(tx, userId, now())
          if (missed.length === 0 || write(missed.map((one) => eventOf(one, { userId })))) return
          const ids = missed.map(({ id }) => id)
          const seen = tx.deleteFrom('notification_seen').where('user_id', '=', userId)
          await seen.where('notification_id', 'in', ids).execute()
        }),
      )
    },
    delivered(id, userIds) {
      background.once(`marking notification ${id} as seen`, () => markSeen(db, id, userIds))
    },
  }
}

/** When the user's account was created: earlier announcements are not for them. */
export async function joinedAt(q: Queries, userId: string): Promise<Instant | undefined> {
  const user = await q.selectFrom('users').select('created_at').where('id', '=', userId).executeTakeFirst()
  return user && instantOf(user.created_at)
}

/** Claims the user's unseen notices of the last day, so that no other screen gets them. Returns them oldest first. */
export async function claimMissed(tx: Queries, userId: string, now: Instant): Promise<Notification[]> {
  const joined = await joinedAt(tx, userId)
  if (joined === undefined) return []
  const claimed = await tx
    .insertInto('notification_seen')
    .columns(['user_id', 'notification_id'])
    .expression((eb) =>
      eb
        .selectFrom('notification')
        .innerJoin('users', (join) => join.on('users.id', '=', userId))
        .select(['users.id', 'notification.id as notification_id'])
        .where('issued_at', '>=', Math.max(now - missedWithin, joined))
        .where('quiet', '=', 0)
        .where('read_at', 'is', null)
        .where((to) => to.or([to('user_id', 'is', null), to('user_id', '=', userId)])),
    )
    .onConflict((on) => on.doNothing())
    .returning('notification_id')
    .execute()
  if (claimed.length === 0) return []
  const ids = claimed.map((row) => row.notification_id)
  const rows = await tx
    .selectFrom('notification')
    .select(notificationColumns)
    .where('id', 'in', ids)
    .orderBy('issued_at')
    .orderBy('id')
    .execute()
  return rows.map(toNotification)
}

/** Records that these users have seen a notice. Skips deleted users. */
async function markSeen({ q, isOneOf }: Db, id: string, userIds: readonly string[]): Promise<void> {
  // In a fixed order, so that concurrent instances can't deadlock.
  await sql`
    insert into notification_seen (user_id, notification_id)
    select users.id, notification.id from users join notification on notification.id = ${id}
    where ${isOneOf('users.id', userIds)} order by users.id on conflict do nothing`.execute(q)
}
