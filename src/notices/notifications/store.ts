import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Queries } from '../../platform/db/open.ts'
import { deleteInBatches } from '../../platform/db/rows/delete-in-batches.ts'
import { instantOf } from '../../platform/db/timestamp.ts'
import type { LiveEvent } from '../../platform/live/events.ts'
import { days, hours, type Instant, type Milliseconds } from '../../shared/time.ts'
import { type AnnounceBody, Notification } from './contract.ts'

/** How long announcements are listed for admins. */
const listedFor: Milliseconds = days(30)
/** How long everything stays in the inbox. */
export const notificationsKeptFor: Milliseconds = days(90)
const mostListed = 100
/** Users who were away for longer don't get it any more. */
const missedWithin: Milliseconds = hours(24)
/** The author of messages that no person sent. */
export const system = 'ToolBox'

const columns = ['id', 'type', 'message', 'issued_at', 'author', 'item', 'tool', 'entry_id'] as const
type Row = Record<'id' | 'type' | 'message' | 'author', string> & {
  issued_at: number
  item: string | null
  tool: string | null
  entry_id: string | null
}
const toNotification = ({ issued_at: issuedAt, item, tool, entry_id: id, ...row }: Row): Notification =>
  Notification.parse({
    ...row,
    issuedAt,
    ...(item !== null && { item }),
    ...(tool !== null && id !== null && { entry: { tool, id } }),
  })

/** Stores a message to everyone. */
export const announce = (tx: Queries, body: AnnounceBody, author: string, at: Instant): Promise<Notification> =>
  insert(tx, null, { ...body, author, issuedAt: at })

/** The live event by which screens get it. */
export const eventOf = (notification: Notification, to: LiveEvent['to']): LiveEvent => ({
  id: notification.id,
  type: 'notification',
  to,
  data: notification,
})

async function insert(
  tx: Queries,
  userId: string | null,
  notification: Omit<Notification, 'id'>,
): Promise<Notification> {
  const { issuedAt, entry: _, ...row } = notification
  const id = randomUUID()
  await tx
    .insertInto('notification')
    .values({ id, user_id: userId, ...row, issued_at: issuedAt })
    .execute()
  return { id, ...notification }
}

/** Up to a hundred messages to everyone of the last 30 days, newest first. */
export async function listAnnouncements(q: Queries, now: Instant): Promise<Notification[]> {
  const rows = await q
    .selectFrom('notification')
    .select(columns)
    .where('user_id', 'is', null)
    .where('issued_at', '>', now - listedFor)
    .orderBy('issued_at', 'desc')
    .orderBy('id')
    .limit(mostListed)
    .execute()
  return rows.map(toNotification)
}

/** Claims what this user hasn't seen of the last day, oldest first, so that no other screen gets it. */
export async function claimMissed(tx: Queries, userId: string, now: Instant): Promise<Notification[]> {
  const user = await tx.selectFrom('users').select('created_at').where('id', '=', userId).executeTakeFirst()
  if (!user) return []
  const since = Math.max(now - missedWithin, instantOf(user.created_at))
  const claimed = await tx
    .insertInto('notification_seen')
    .columns(['user_id', 'notification_id'])
    .expression((eb) =>
      eb
        .selectFrom('notification')
        .innerJoin('users', (join) => join.on('users.id', '=', userId))
        .select(['users.id', 'notification.id as notification_id'])
        .where('issued_at', '>=', since)
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
    .select(columns)
    .where('id', 'in', ids)
    .orderBy('issued_at')
    .orderBy('id')
    .execute()
  return rows.map(toNotification)
}

/** Releases a claim that reached no screen. */
export async function giveBack(tx: Queries, userId: string, missed: readonly Notification[]): Promise<void> {
  const ids = missed.map(({ id }) => id)
  await tx.deleteFrom('notification_seen').where('user_id', '=', userId).where('notification_id', 'in', ids).execute()
}

/** Records who has seen a notification, except users who were deleted meanwhile. */
export async function markSeen({ q, rows }: Db, id: string, userIds: readonly string[]): Promise<void> {
  const seen = rows(
    'seen',
    { user_id: 'text' },
    userIds.map((userId) => ({ user_id: userId })),
  )
  // In a fixed order, so that instances that do this at once can't deadlock.
  await sql`
    insert into notification_seen (user_id, notification_id)
    select users.id, notification.id from ${seen}
    join users on users.id = seen.user_id join notification on notification.id = ${id}
    where true order by users.id on conflict do nothing`.execute(q)
}

/** Deletes notifications older than 90 days, with the record of who has seen them. */
export async function deleteOldNotifications(q: Queries, now: Instant): Promise<void> {
  const old = sql<boolean>`issued_at < ${now - notificationsKeptFor}`
  const seen = sql<boolean>`notification_id in (select id from notification where ${old})`
  await deleteInBatches(q, 'notification_seen', { key: ['user_id', 'notification_id'], where: seen })
  await deleteInBatches(q, 'notification', { key: ['id'], where: old })
}
