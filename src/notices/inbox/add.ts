import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { activeAdmins } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import { inboxChanged, type LiveEvent } from '../../platform/live/events.ts'
import type { Notify } from '../../platform/notice.ts'
import { type Instant, type Milliseconds, seconds } from '../../shared/time.ts'
import type { Notification } from '../notifications/contract.ts'
import { eventOf, system } from '../notifications/store.ts'
import { type Gathered, gather, groupOf } from './gather.ts'
import { isAboutEntries, mostNamed, sentenceOf } from './sentence.ts'

/** What changes within this time for one user and type is one item. */
const together: Milliseconds = seconds(10)

type InboxContext = Pick<Context, 'db' | 'now'>
/** `known` are the entries that it has gathered before. */
type Item = Gathered & { id: string; known: readonly string[] }
/** What an item has gathered before. */
type Stored = { parts: string[]; total: number; entryId: string | null }
type Row = ReturnType<typeof rowOf>

/** Adds news to the inboxes of whom they concern. */
export const createAddToInbox =
  (context: InboxContext): Notify =>
  async (tx, news) => {
    const isForAdmins = news.some(({ type }) => type === 'operator')
    const admins = isForAdmins ? await activeAdmins(tx).execute() : []
    const gathered = gather(
      news,
      admins.map(({ id }) => id),
    )
    return gathered.length === 0 ? [] : add(context, tx, gathered)
  }

async function add(context: InboxContext, tx: Queries, gathered: readonly Gathered[]): Promise<LiveEvent[]> {
  const at = context.now()
  const items = await itemsOf(context, tx, gathered, at)
  const before = await storedOf(context, tx, items)
  const rows = items.map((item) => ({ item, row: rowOf(item, before.get(item.id), at), grows: before.has(item.id) }))
  const fresh = rows.filter(({ grows }) => !grows).map(({ row }) => row)
  const grown = rows.filter(({ grows }) => grows).map(({ row }) => row)
  if (fresh.length > 0) {
    await tx.insertInto('notification').values(fresh).execute()
    await dropOldest(
      context.db,
      tx,
      fresh.map(({ user_id }) => user_id),
    )
  }
  if (grown.length > 0) await grow(context, tx, grown)
  await remember(context, tx, items)
  return rows.map(({ item, row, grows }) => {
    if (!item.toast) return inboxChanged(item.userId)
    const event = eventOf(notificationOf(row, item.toast), { userId: item.userId })
    // Under its id it was delivered already; screens that still show it show what it says now.
    return grows ? { type: event.type, to: event.to, data: { ...Object(event.data), grows } } : event
  })
}

/** Gives each the item that gathers its user and type now, and keeps others from it until the transaction ends. */
async function itemsOf({ db }: InboxContext, tx: Queries, gathered: readonly Gathered[], at: Instant): Promise<Item[]> {
  const columns = { user_id: 'text', type: 'text', notification_id: 'text' } as const
  const fresh = gathered.map((one) => ({ user_id: one.userId, type: groupOf(one), notification_id: randomUUID() }))
  const isNow = sql`inbox_group.began_at > ${at - together} and inbox_group.began_at <= ${at}`
  const { rows } = await sql<(typeof fresh)[number] & { entries: string }>`
    insert into inbox_group (user_id, type, notification_id, began_at)
    select users.id, fresh.type, fresh.notification_id, cast(${at} as bigint) from ${db.rows('fresh', columns, fresh)}
    join users on users.id = fresh.user_id where true order by users.id, fresh.type
    on conflict (user_id, type) do update set
      notification_id = case when ${isNow} then inbox_group.notification_id else excluded.notification_id end,
      began_at = case when ${isNow} then inbox_group.began_at else excluded.began_at end,
      entries = case when ${isNow} then inbox_group.entries else '[]' end
    returning user_id, type, notification_id, entries`.execute(tx)
  const ids = new Map(rows.map((row) => [`${row.user_id} ${row.type}`, row]))
  return gathered.flatMap((one) => {
    const row = ids.get(`${one.userId} ${groupOf(one)}`)
    return row === undefined ? [] : { ...one, id: row.notification_id, known: JSON.parse(row.entries) }
  })
}

/** Notes which entries an item has gathered, so that none counts twice. */
async function remember({ db }: InboxContext, tx: Queries, items: readonly Item[]) {
  const records = items.flatMap(({ userId, ids, known, ...item }) => {
    const all = new Set([...known, ...ids])
    return all.size > known.length ? [{ user_id: userId, type: groupOf(item), entries: JSON.stringify([...all]) }] : []
  })
  if (records.length === 0) return
  const batch = db.rows('held', { user_id: 'text', type: 'text', entries: 'text' }, records)
  await sql`update inbox_group set entries = held.entries from ${batch}
    where inbox_group.user_id = held.user_id and inbox_group.type = held.type`.execute(tx)
}

async function storedOf({ db }: InboxContext, tx: Queries, items: readonly Item[]): Promise<Map<string, Stored>> {
  const rows = await tx
    .selectFrom('notification')
    .select(['id', 'parts', 'total', 'entry_id'])
    .where(
      db.isOneOf(
        'id',
        items.map(({ id }) => id),
      ),
    )
    .execute()
  return new Map(
    rows.map(({ id, parts, total, entry_id: entryId }) => [id, { parts: JSON.parse(parts ?? '[]'), total, entryId }]),
  )
}

function rowOf(item: Item, before: Stored | undefined, at: Instant) {
  const { type, cause } = item
  const isSame = before !== undefined && before.total === 1 && before.entryId === item.entry?.id
  const known: Pick<Stored, 'parts' | 'total'> = before && !isSame ? before : { parts: [], total: 0 }
  // The same sentence is said once, and the same entry counts once.
  const counted = new Set(known.total > 0 ? item.known : [])
  const added = isAboutEntries(type)
    ? item.parts.filter((_, index) => !counted.has(item.ids[index] ?? ''))
    : item.parts.filter((part) => !known.parts.includes(part))
  const total = known.total + added.length
  const parts = [...known.parts, ...added].slice(0, mostNamed)
  const entry = total === 1 ? item.entry : undefined
  return {
    id: item.id,
    user_id: item.userId,
    type: item.toast ?? 'info',
    message: sentenceOf({ type, parts, total, cause: total === 1 ? cause : undefined }),
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

const grownColumns = {
  id: 'text',
  message: 'text',
  parts: 'text',
  total: 'bigint',
  tool: 'text',
  entry_id: 'text',
} as const

/** What is added to has to be read once more. */
const grow = ({ db, now }: InboxContext, tx: Queries, rows: readonly Row[]) =>
  sql`update notification set message = grown.message, parts = grown.parts, total = grown.total, tool = grown.tool,
    entry_id = grown.entry_id, issued_at = ${now()}, read_at = null
    from ${db.rows('grown', grownColumns, rows)} where notification.id = grown.id`.execute(tx)

const notificationOf = (row: Row, type: Notification['type']): Notification => ({
  ...{ id: row.id, type, message: row.message, issuedAt: row.issued_at, author: system, item: row.item },
  ...(row.tool !== null && row.entry_id !== null && { entry: { tool: row.tool, id: row.entry_id } }),
})

/** How many items of their own a user keeps. */
const mostItems = 1_000

/** Deletes what exceeds it of these users, oldest first. */
async function dropOldest(db: Pick<Db, 'rows'>, tx: Queries, userIds: readonly string[]): Promise<void> {
  const asked = db.rows(
    'asked',
    { user_id: 'text' },
    [...new Set(userIds)].map((user_id) => ({ user_id })),
  )
  // Found once for each user: within the deletion, PostgreSQL would look for it at every item.
  const { rows } = await sql<{ user_id: string; at: Instant | null }>`
    select user_id, (select issued_at from notification where notification.user_id = asked.user_id
      order by issued_at desc limit 1 offset ${sql.lit(mostItems)}) as at from ${asked}`.execute(tx)
  const full = rows.filter(({ at }) => at !== null)
  if (full.length === 0) return
  await sql`delete from notification where id in (
    select old.id from ${db.rows('full_one', { user_id: 'text', at: 'bigint' }, full)}
    join notification as old on old.user_id = full_one.user_id and old.issued_at <= full_one.at)`.execute(tx)
}
