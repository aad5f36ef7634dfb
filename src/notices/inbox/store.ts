import type { Db, Queries } from '../../platform/db/open.ts'
import { instantOf } from '../../platform/db/timestamp.ts'
import type { Instant } from '../../shared/time.ts'
import { can, type Roles } from '../../shared/user.ts'
import { notificationsKeptFor } from '../notifications/store.ts'
import { type Inbox, InboxItem, type InboxType, inboxPage } from './contract.ts'

type Reader = { id: string; roles: Roles }
/** What is issued after the first instant, and before the second. */
type Span = { after: Instant; before: Instant | undefined }

/** A page of a user's inbox before an instant, newest first, and how much of all of it is unread. */
export async function readInbox(q: Queries, reader: Reader, now: Instant, before: Instant | undefined): Promise<Inbox> {
  const since = await sinceOf(q, reader.id, now)
  const [own, announced, unread] = await Promise.all([
    ownItems(q, reader, { after: now - notificationsKeptFor, before }),
    announcements(q, reader.id, { after: since, before }),
    countUnread(q, reader.id, since, now),
  ])
  return { unread, items: cut([...own, ...announced].toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))) }
}

/** What was announced before somebody had an account is not for them. */
async function sinceOf(q: Queries, userId: string, now: Instant): Promise<Instant> {
  const user = await q.selectFrom('users').select('created_at').where('id', '=', userId).executeTakeFirst()
  return Math.max(now - notificationsKeptFor, user ? instantOf(user.created_at) - 1 : now)
}

/** A page of these, and whatever is of the same instant as its last one. */
function pageOf(q: Queries, userId: string | null, { after, before }: Span) {
  let all = q
    .selectFrom('notification')
    .where('notification.user_id', userId === null ? 'is' : '=', userId)
    .where('notification.issued_at', '>', after)
  if (before !== undefined) all = all.where('notification.issued_at', '<', before)
  const lastOfPage = all
    .select('notification.issued_at')
    .orderBy('notification.issued_at', 'desc')
    .offset(inboxPage - 1)
    .limit(1)
  return all
    .where(({ eb, fn, lit }) => eb('notification.issued_at', '>=', fn.coalesce(lastOfPage, lit(0))))
    .orderBy('notification.issued_at', 'desc')
    .orderBy('notification.id', 'desc')
}

function cut(items: readonly InboxItem[]): InboxItem[] {
  const last = items[inboxPage - 1]
  return last ? items.filter(({ at }) => at >= last.at) : [...items]
}

async function ownItems(q: Queries, reader: Reader, span: Span): Promise<InboxItem[]> {
  const rows = await pageOf(q, reader.id, span)
    .leftJoin('entry', 'entry.id', 'notification.entry_id')
    .select(['notification.id', 'notification.item', 'notification.message', 'notification.issued_at'])
    .select(['notification.tool', 'notification.entry_id', 'notification.read_at', 'entry.owner_id'])
    .execute()
  const maySee = (ownerId: string | null) => ownerId !== null && (ownerId === reader.id || can(reader, 'Tools', 2))
  return rows.map((row) => ({
    id: row.id,
    type: typeOf(row.item),
    message: row.message,
    entry: row.tool && row.entry_id && maySee(row.owner_id) ? { tool: row.tool, id: row.entry_id } : null,
    at: row.issued_at,
    readAt: row.read_at,
  }))
}

/** What is older than the inbox said what became of an account or of a webhook; what is newer than this server says so itself. */
const typeOf = (item: string | null): InboxType => InboxItem.shape.type.safeParse(item).data ?? 'account'

async function announcements(q: Queries, userId: string, span: Span): Promise<InboxItem[]> {
  const rows = await pageOf(q, null, span)
    .leftJoin('notification_seen as seen', (join) =>
      join.onRef('seen.notification_id', '=', 'notification.id').on('seen.user_id', '=', userId),
    )
    .select(['id', 'message', 'issued_at', 'seen.read_at'])
    .execute()
  return rows.map(({ id, message, issued_at: at, read_at: readAt }) => ({
    ...{ id, type: 'announcement', message, entry: null, at, readAt },
  }))
}

/** Announcements since an instant that this user hasn't read. */
const unreadAnnouncements = (q: Queries, userId: string, since: Instant) =>
  q
    .selectFrom('notification')
    .where('notification.user_id', 'is', null)
    .where('issued_at', '>', since)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('notification_seen as seen')
            .select('seen.user_id')
            .whereRef('seen.notification_id', '=', 'notification.id')
            .where('seen.user_id', '=', userId)
            .where('seen.read_at', 'is not', null),
        ),
      ),
    )

async function countUnread(q: Queries, userId: string, since: Instant, now: Instant): Promise<number> {
  const own = q
    .selectFrom('notification')
    .where('user_id', '=', userId)
    .where('issued_at', '>', now - notificationsKeptFor)
    .where('read_at', 'is', null)
  const counts = await Promise.all(
    [own, unreadAnnouncements(q, userId, since)].map((query) =>
      query.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow(),
    ),
  )
  return counts.reduce((sum, { count }) => sum + Number(count), 0)
}

/** Marks everything up to an instant as read; answers whether anything was unread. */
export async function markRead(db: Db, userId: string, until: Instant, now: Instant): Promise<boolean> {
  return db.q.transaction().execute(async (tx) => {
    const own = await tx
      .updateTable('notification')
      .set({ read_at: now })
      .where('user_id', '=', userId)
      .where('read_at', 'is', null)
      .where('issued_at', '<=', until)
      .executeTakeFirst()
    const unread = await unreadAnnouncements(tx, userId, await sinceOf(tx, userId, now))
      .select('id')
      .where('issued_at', '<=', until)
      .orderBy('id')
      .execute()
    if (unread.length > 0)
      await tx
        .insertInto('notification_seen')
        .values(unread.map(({ id }) => ({ user_id: userId, notification_id: id, read_at: now })))
        .onConflict((on) => on.columns(['user_id', 'notification_id']).doUpdateSet({ read_at: now }))
        .execute()
    return own.numUpdatedRows > 0n || unread.length > 0
  })
}
