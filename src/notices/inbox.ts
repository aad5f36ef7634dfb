import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { changesFromNull, writeAudit } from '../people/audit/log.ts'
import type { Context } from '../platform/context.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { deleteInBatches } from '../platform/db/rows/write.ts'
import { transact } from '../platform/db/transact.ts'
import { actorOf } from '../platform/http/access/actor.ts'
import { callerOf, guard, signedIn } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { inboxChanged } from '../platform/live/events.ts'
import { days, type Instant, type Milliseconds } from '../shared/time.ts'
import { can, type Roles } from '../shared/user.ts'
import {
  type AnnounceBody,
  type Inbox,
  InboxItem,
  type InboxType,
  inboxPage,
  type Notification,
  noticeCalls,
} from './contract.ts'
import { eventOf, joinedAt, notificationColumns, toNotification } from './toasts.ts'

export function noticeRoutes(app: App, { db, events, now }: Pick<Context, 'db' | 'events' | 'now'>): void {
  const usersRoute = routesOf(app, noticeCalls, 'Users')
  const ownRoute = routesOf(app, noticeCalls, 'Your account')

  usersRoute(
    'GET /api/v1/admin/notifications',
    { ...guard('Admin', 2, 'read'), summary: 'List announcements of the last 30 days, newest first' },
    () => listAnnouncements(db.q, now()),
  )

  usersRoute(
    'POST /api/v1/admin/notifications',
    { ...guard('Admin', 2, 'write'), summary: 'Send an announcement to all users' },
    async (request) => {
      const { user } = callerOf(request)
      const { type, message } = request.body
      const at = now()
      const sent = await transact(db, async (tx) => {
        const notification = await announce(tx, request.body, user.name, at)
        await writeAudit(tx, at, {
          actor: actorOf(request),
          action: 'notification.announce',
          target: { id: notification.id, name: 'Everyone' },
          changes: changesFromNull({ type, message }),
        })
        return notification
      })
      events.publish([eventOf(sent, { everyone: true })])
      return sent
    },
  )

  ownRoute(
    'GET /api/v1/user/inbox',
    {
      ...signedIn('read'),
      summary: 'List your inbox of the last 90 days, newest first',
      description: "For the next page, pass the last item's time as `before`.",
    },
    (request) => readInbox(db.q, callerOf(request).user, now(), request.query.before),
  )

  ownRoute(
    'POST /api/v1/user/inbox/read',
    { ...signedIn('write'), summary: 'Mark your inbox as read up to a time' },
    async (request) => {
      const { user } = callerOf(request)
      if (await markRead(db, user.id, request.body.until, now())) events.publish([inboxChanged(user.id)])
      return null
    },
  )
}

const keptFor: Milliseconds = days(90)
const listedFor: Milliseconds = days(30)
const mostListed = 100

type Reader = { id: string; roles: Roles }

/** The page before an instant, newest first, and the number of unread items on all pages. */
export async function readInbox(q: Queries, reader: Reader, now: Instant, before: Instant | undefined): Promise<Inbox> {
  const all = inboxOf(q, reader.id, await sinceOf(q, reader.id, now))
  const [items, { unread }] = await Promise.all([
    pageOf(all, reader, before),
    all
      .where('notice.read_at', 'is', null)
      .where('seen.read_at', 'is', null)
      .select(({ fn }) => fn.countAll().as('unread'))
      .executeTakeFirstOrThrow(),
  ])
  return { unread: Number(unread), items }
}

type Since = { oldestAt: Instant; joined: Instant }
type InboxQuery = ReturnType<typeof inboxOf>

/** The times after which a user's inbox includes notices, and announcements. */
async function sinceOf(q: Queries, userId: string, now: Instant): Promise<Since> {
  return { oldestAt: now - keptFor, joined: (await joinedAt(q, userId)) ?? now + 1 }
}

/** A user's own notices, and announcements since the user's account was created. */
const inboxOf = (q: Queries, userId: string, { oldestAt, joined }: Since) =>
  q
    .selectFrom('notification as notice')
    .leftJoin('notification_seen as seen', (join) =>
      join.onRef('seen.notification_id', '=', 'notice.id').on('seen.user_id', '=', userId),
    )
    .where('notice.issued_at', '>', oldestAt)
    .where((eb) =>
      eb.or([
        eb('notice.user_id', '=', userId),
        eb.and([eb('notice.user_id', 'is', null), eb('notice.issued_at', '>=', joined)]),
      ]),
    )

/** A page of items, including all items of the same instant as its last one. */
async function pageOf(all: InboxQuery, reader: Reader, before: Instant | undefined): Promise<InboxItem[]> {
  const older = before === undefined ? all : all.where('notice.issued_at', '<', before)
  const lastOfPage = older
    .select('notice.issued_at')
    .orderBy('notice.issued_at', 'desc')
    .offset(inboxPage - 1)
    .limit(1)
  const rows = await older
    .where(({ eb, fn, lit }) => eb('notice.issued_at', '>=', fn.coalesce(lastOfPage, lit(0))))
    .leftJoin('entry', 'entry.id', 'notice.entry_id')
    .select(['notice.id', 'notice.user_id', 'notice.item', 'notice.message', 'notice.issued_at', 'notice.tool'])
    .select(['notice.entry_id', 'notice.read_at', 'seen.read_at as seen_at', 'entry.owner_id'])
    .orderBy('notice.issued_at', 'desc')
    .orderBy('notice.id', 'desc')
    .execute()
  const maySee = (ownerId: string | null) => ownerId !== null && (ownerId === reader.id || can(reader, 'Tools', 2))
  return rows.map((row) => ({
    id: row.id,
    type: row.user_id === null ? 'announcement' : typeOf(row.item),
    message: row.message,
    entry: row.tool && row.entry_id && maySee(row.owner_id) ? { tool: row.tool, id: row.entry_id } : null,
    at: row.issued_at,
    readAt: row.read_at ?? row.seen_at,
  }))
}

/** Notices older than the inbox have no type, and newer servers may write unknown ones: both count as `account`. */
const typeOf = (item: string | null): InboxType => InboxItem.shape.type.safeParse(item).data ?? 'account'

/** Marks everything up to an instant as read; returns whether anything was unread. */
export async function markRead(db: Db, userId: string, until: Instant, now: Instant): Promise<boolean> {
  return transact(db, async (tx) => {
    const own = await tx
      .updateTable('notification')
      .set({ read_at: now })
      .where('user_id', '=', userId)
      .where('read_at', 'is', null)
      .where('issued_at', '<=', until)
      .executeTakeFirst()
    const announced = await inboxOf(tx, userId, await sinceOf(tx, userId, now))
      .select('notice.id')
      .where('notice.user_id', 'is', null)
      .where('seen.read_at', 'is', null)
      .where('notice.issued_at', '<=', until)
      .orderBy('notice.id')
      .execute()
    if (announced.length > 0)
      await tx
        .insertInto('notification_seen')
        .values(announced.map(({ id }) => ({ user_id: userId, notification_id: id, read_at: now })))
        .onConflict((on) => on.columns(['user_id', 'notification_id']).doUpdateSet({ read_at: now }))
        .execute()
    return own.numUpdatedRows > 0n || announced.length > 0
  })
}

export async function announce(tx: Queries, body: AnnounceBody, author: string, at: Instant): Promise<Notification> {
  const row = { ...body, id: randomUUID(), author, issued_at: at }
  await tx
    .insertInto('notification')
    .values({ ...row, user_id: null })
    .execute()
  return toNotification({ ...row, item: null, tool: null, entry_id: null })
}

export async function listAnnouncements(q: Queries, now: Instant): Promise<Notification[]> {
  const rows = await q
    .selectFrom('notification')
    .select(notificationColumns)
    .where('user_id', 'is', null)
    .where('issued_at', '>', now - listedFor)
    .orderBy('issued_at', 'desc')
    .orderBy('id')
    .limit(mostListed)
    .execute()
  return rows.map(toNotification)
}

/** Also deletes the records of which users have seen them. */
export async function deleteOldNotices(q: Queries, now: Instant): Promise<void> {
  const old = sql<boolean>`issued_at < ${now - keptFor}`
  const seen = sql<boolean>`notification_id in (select id from notification where ${old})`
  await deleteInBatches(q, 'notification_seen', { key: ['user_id', 'notification_id'], where: seen })
  await deleteInBatches(q, 'notification', { key: ['id'], where: old })
}
