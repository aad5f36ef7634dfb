import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { activeAdmins } from '../people/store.ts'
import type { Context } from '../platform/context.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { inboxChanged, type LiveEvent } from '../platform/live/events.ts'
import type { Notice, Notify } from '../platform/notice.ts'
import { formatCount } from '../shared/count.ts'
import type { Instant } from '../shared/time.ts'
import { titleOf } from '../shared/title.ts'
import { mostNamed, truncate, verbsOf } from './channels/message.ts'
import { gatherFor, queueForChannels, userOf } from './channels/queue.ts'
import type { InboxType, Notification } from './contract.ts'
import { eventOf, system, toNotification } from './toasts.ts'

const mostItems = 1_000

type NotifyContext = Pick<Context, 'db' | 'jobs' | 'now'>
type Stored = { parts: string[]; total: number; entryId: string | null }
/** `coveredIds` are the ids of entries that the item already covers. */
type Item = GroupedNotice & { id: string; coveredIds: readonly string[]; before: Stored | undefined }

export const createNotify =
  (context: NotifyContext): Notify =>
  async (tx, notices) => {
    if (notices.length === 0) return []
    await queueForChannels(context, tx, notices)
    const areForAdmins = notices.some((notice) => userOf(notice) === undefined)
    const admins = areForAdmins ? await activeAdmins(tx).execute() : []
    const adminIds = admins.map(({ id }) => id)
    const gathered = groupNotices(notices, adminIds)
    return gathered.length === 0 ? [] : addToInbox(context, tx, gathered)
  }

async function addToInbox(
  context: NotifyContext,
  tx: Queries,
  gathered: readonly GroupedNotice[],
): Promise<LiveEvent[]> {
  const at = context.now()
  const items = await openItems(context, tx, gathered, at)
  if (items.length === 0) return []
  const rows = items.map((item) => rowOf(item, at))
  // An item that grows becomes unread again.
  await tx
    .insertInto('notification')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        message: eb.ref('excluded.message'),
        parts: eb.ref('excluded.parts'),
        total: eb.ref('excluded.total'),
        tool: eb.ref('excluded.tool'),
        entry_id: eb.ref('excluded.entry_id'),
        issued_at: eb.ref('excluded.issued_at'),
        read_at: null,
      })),
    )
    .execute()
  await rememberEntries(context, tx, items)
  const added = items.flatMap(({ userId, before }) => (before ? [] : userId))
  await deleteExcess(context.db, tx, added)
  return items.map(({ userId, toast, before }, index) => {
    if (!toast) return inboxChanged(userId)
    const event = eventOf(toNotification(rows[index]!), { userId })
    // The id was delivered already. Without one, screens that still show the toast update it.
    return before ? { type: event.type, to: event.to, data: { ...Object(event.data), grows: true } } : event
  })
}

/** Finds or starts the current item for each user and type, and locks it until the transaction ends. */
async function openItems(
  { db }: NotifyContext,
  tx: Queries,
  gathered: readonly GroupedNotice[],
  at: Instant,
): Promise<Item[]> {
  const columns = { user_id: 'text', type: 'text', notification_id: 'text' } as const
  const fresh = gathered.map((one) => ({ user_id: one.userId, type: groupOf(one), notification_id: randomUUID() }))
  const isCurrent = sql`inbox_group.began_at > ${at - gatherFor} and inbox_group.began_at <= ${at}`
  const { rows: groups } = await sql<(typeof fresh)[number] & { entries: string }>`
    insert into inbox_group (user_id, type, notification_id, began_at)
    select users.id, fresh.type, fresh.notification_id, cast(${at} as bigint) from ${db.rows('fresh', columns, fresh)}
    join users on users.id = fresh.user_id where true order by users.id, fresh.type
    on conflict (user_id, type) do update set
      notification_id = case when ${isCurrent} then inbox_group.notification_id else excluded.notification_id end,
      began_at = case when ${isCurrent} then inbox_group.began_at else excluded.began_at end,
      entries = case when ${isCurrent} then inbox_group.entries else '[]' end
    returning user_id, type, notification_id, entries`.execute(tx)
  const ids = groups.map(({ notification_id }) => notification_id)
  // Read items only now: other transactions may have added to them while this one waited for the lock.
  const stored = await tx
    .selectFrom('notification')
    .select(['id', 'parts', 'total', 'entry_id as entryId'])
    .where(db.isOneOf('id', ids))
    .execute()
  const byGroup = new Map(groups.map((group) => [`${group.user_id} ${group.type}`, group]))
  const byId = new Map(stored.map(({ id, parts, ...rest }) => [id, { ...rest, parts: JSON.parse(parts ?? '[]') }]))
  return gathered.flatMap((one) => {
    const group = byGroup.get(`${one.userId} ${groupOf(one)}`)
    if (group === undefined) return []
    const { notification_id: id, entries } = group
    return { ...one, id, coveredIds: JSON.parse(entries), before: byId.get(id) }
  })
}

function rowOf(item: Item, at: Instant) {
  const { type, cause, before } = item
  const isSame = before !== undefined && before.total === 1 && before.entryId === item.entry?.id
  const previous: Pick<Stored, 'parts' | 'total'> = before && !isSame ? before : { parts: [], total: 0 }
  // A repeated sentence or entry counts once.
  const counted = new Set(previous.total > 0 ? item.coveredIds : [])
  const added = verbsOf(type)
    ? item.parts.filter((_, index) => !counted.has(item.ids[index] ?? ''))
    : item.parts.filter((part) => !previous.parts.includes(part))
  const total = previous.total + added.length
  const parts = [...previous.parts, ...added].slice(0, mostNamed)
  const entry = total === 1 ? item.entry : undefined
  return {
    id: item.id,
    user_id: item.userId,
    type: item.toast ?? 'info',
    message: itemMessage({ type, parts, total, cause: total === 1 ? cause : undefined }),
    author: system,
    issued_at: at,
    item: type,
    parts: JSON.stringify(parts),
    total,
    tool: entry?.tool ?? null,
    entry_id: entry?.id ?? null,
    quiet: item.toast ? (0 as const) : (1 as const),
  }
}

/** Stores which entries an item covers, so that none counts twice. */
async function rememberEntries({ db }: NotifyContext, tx: Queries, items: readonly Item[]) {
  const records = items.flatMap(({ userId, ids, coveredIds, ...item }) => {
    const all = new Set([...coveredIds, ...ids])
    return all.size > coveredIds.length
      ? [{ user_id: userId, type: groupOf(item), entries: JSON.stringify([...all]) }]
      : []
  })
  if (records.length === 0) return
  const batch = db.rows('gathered', { user_id: 'text', type: 'text', entries: 'text' }, records)
  await sql`update inbox_group set entries = gathered.entries from ${batch}
    where inbox_group.user_id = gathered.user_id and inbox_group.type = gathered.type`.execute(tx)
}

async function deleteExcess(db: Pick<Db, 'rows'>, tx: Queries, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return
  const users = Array.from(new Set(userIds), (user_id) => ({ user_id }))
  const userRows = db.rows('asked', { user_id: 'text' }, users)
  // Look this up once per user: as a subquery of the deletion, PostgreSQL would run it for every item.
  const { rows } = await sql<{ user_id: string; at: Instant | null }>`
    select user_id, (select issued_at from notification where notification.user_id = asked.user_id
      order by issued_at desc limit 1 offset ${sql.lit(mostItems)}) as at from ${userRows}`.execute(tx)
  const full = rows.filter(({ at }) => at !== null)
  if (full.length === 0) return
  await sql`delete from notification where id in (
    select old.id from ${db.rows('full_one', { user_id: 'text', at: 'bigint' }, full)}
    join notification as old on old.user_id = full_one.user_id and old.issued_at <= full_one.at)`.execute(tx)
}

type GroupedNotice = {
  userId: string
  type: InboxType
  /** Names of entries, or sentences. */
  parts: string[]
  ids: string[]
  /** The entry and its cause, if there is only one. */
  entry?: { tool: string; id: string } | undefined
  cause?: string | undefined
  toast: Notification['type'] | undefined
}

const toasts = {
  failing: 'warning',
  recovered: 'success',
  blocked: 'danger',
  certificate: 'warning',
  due: 'warning',
  offer: 'info',
} as const

/** Groups notices by user and type, in a fixed order, so that concurrent instances can't deadlock. */
function groupNotices(notices: readonly Notice[], adminIds: readonly string[]): GroupedNotice[] {
  const byKey = new Map<string, GroupedNotice>()
  for (const one of notices.flatMap((notice) => toGroupedNotices(notice, adminIds))) {
    const key = `${one.userId} ${groupOf(one)}`
    const same = byKey.get(key)
    byKey.set(key, same ? merge(same, one) : one)
  }
  return [...byKey.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** Notices with a toast aren't grouped with those without. */
const groupOf = ({ type, toast }: Pick<GroupedNotice, 'type' | 'toast'>): string =>
  type === 'account' && toast ? 'account toast' : type

function merge(one: GroupedNotice, other: GroupedNotice): GroupedNotice {
  if (!one.entry && !other.entry) return { ...one, parts: [...new Set([...one.parts, ...other.parts])] }
  // Two notices about the same entry count once.
  if (one.entry && one.entry.id === other.entry?.id) return { ...one, cause: other.cause }
  if (other.ids.every((id) => one.ids.includes(id))) return one
  const parts = [...one.parts, ...other.parts]
  return { ...one, parts, ids: [...one.ids, ...other.ids], entry: undefined, cause: undefined }
}

function toGroupedNotices(notice: Notice, adminIds: readonly string[]): GroupedNotice[] {
  if (notice.type === 'account') {
    const { type, userId, message, toast } = notice
    return [{ userId, type, parts: [message], ids: [], toast }]
  }
  if (notice.type === 'operator' || notice.type === 'access') {
    const { type, message } = notice
    const toast = type === 'access' ? 'info' : 'warning'
    return adminIds.map((userId) => ({ userId, type, parts: [message], ids: [], toast }))
  }
  const { type, ownerId: userId, cause, entry } = notice
  const { id, tool } = entry
  return [{ userId, type, parts: [titleOf(entry)], ids: [id], entry: { tool, id }, cause, toast: toasts[type] }]
}

const longestName = 80
const longestCause = 250

/** `parts` are the first of `total`; `cause` is set only if the total is one. */
type Content = Pick<GroupedNotice, 'type' | 'parts' | 'cause'> & { total: number }

function itemMessage({ type, parts, total, cause }: Content): string {
  const more = total - parts.length
  const verb = verbsOf(type)
  if (!verb) return [...parts, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ')
  const names = parts.map((name) => truncate(name, longestName))
  const why = cause && type !== 'recovered' ? ` (${truncate(cause.replace(/\.$/, ''), longestCause)})` : ''
  const advice = type === 'blocked' ? ' Events are held until the webhook or thread is changed.' : ''
  if (total === 1) return `${names[0]} ${verb[0]}${why}.${advice}`
  const last = more > 0 ? `${more} more` : names.pop()
  return `${formatCount(total)} entries ${verb[1]}: ${names.join(', ')} and ${last}.${advice}`
}
