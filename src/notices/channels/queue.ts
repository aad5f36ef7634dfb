import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Context } from '../../platform/context.ts'
import { rowLock } from '../../platform/db/locks.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import type { Notice } from '../../platform/notice.ts'
import { type Instant, type Milliseconds, seconds } from '../../shared/time.ts'
import { Active } from '../../shared/user.ts'
import { noticesJob } from '../jobs.ts'
import type { Channel } from './contract.ts'
import type { MessageKind, StoredChange } from './message.ts'

/** Changes within this time are grouped into one message per channel, and one inbox item. */
export const gatherFor: Milliseconds = seconds(10)

/** Pending notices of a channel, not counting those about existing entries. */
const mostWaiting = 1_000

/** The fields that decide which notices a channel gets. */
export type Listener = Pick<Channel, 'id' | 'type' | 'events' | 'tools' | 'entries'> & {
  userId: string
  isAdmin: boolean
}

/** Returns notices about all of a user's entries that are failing or blocked now. */
export type StillFailing = (ownerId: string) => Promise<readonly Notice[]>

/** A message contains each `subject` once. */
export type Pending = { channelId: string; type: MessageKind; subject: string; change: StoredChange }

/** The pending notice for a channel; undefined if the channel doesn't get this notice. */
export function pendingOf(listener: Listener, notice: Notice): Pending | undefined {
  const { id: channelId, events } = listener
  if ('message' in notice) {
    const { message } = notice
    const isFor = notice.type === 'account' ? notice.userId === listener.userId : listener.isAdmin
    const isAccess = notice.type === 'access'
    const type = notice.type === 'access' ? 'account' : notice.type
    if (!isFor || !events.includes(type)) return undefined
    return { channelId, type, subject: message, change: { message, ...(isAccess && { access: true }) } }
  }
  const { type, ownerId, entry, cause } = notice
  const isHeard = 'since' in notice ? events.includes(notice.type) : getsEarlyWarnings(listener)
  const isChosen =
    isHeard &&
    ownerId === listener.userId &&
    (listener.tools?.includes(entry.tool) ?? true) &&
    (listener.entries?.includes(entry.id) ?? true)
  return isChosen
    ? {
        channelId,
        type,
        subject: entry.id,
        change: { entry, cause, ...('since' in notice && { since: notice.since }) },
      }
    : undefined
}

/** Webhooks get no early warnings: programs know few types of messages, and nothing has failed yet. */
const getsEarlyWarnings = ({ type, events }: Listener) => type !== 'webhook' && events.includes('failing')

export async function queueForChannels(
  { db, jobs, now }: Pick<Context, 'db' | 'jobs' | 'now'>,
  tx: Queries,
  notices: readonly Notice[],
): Promise<void> {
  const at = now()
  const listeners = await listenersOf(db, tx, notices)
  const rows = listeners.flatMap((listener) => notices.flatMap((one) => pendingOf(listener, one) ?? []))
  if (rows.length === 0) return
  await insertPending(db, tx, rows, at)
  await dropOldest(db, tx, rows)
  // Always add new jobs: an existing one may have finished reading notices.
  const channels = [...new Set(rows.map(({ channelId }) => channelId))].sort()
  const due = channels.map((channel) => noticesJob(channel, at + gatherFor, at))
  await jobs.add(due, tx)
}

const columns = {
  id: 'text',
  channel_id: 'text',
  type: 'text',
  subject: 'text',
  at: 'bigint',
  data: 'text',
  message_id: 'text',
} as const

/** Stores pending notices. If a subject changes several times before it is sent, only the last change is kept. */
export async function insertPending(
  db: Db,
  tx: Queries,
  rows: readonly Pending[],
  at: Instant,
  message: string | null = null,
): Promise<void> {
  const records = rows.map(({ channelId, type, subject, change }) => ({
    id: randomUUID(),
    channel_id: channelId,
    type,
    subject,
    at,
    data: JSON.stringify(change),
    message_id: message,
  }))
  const unique = new Map(records.map((record) => [`${record.channel_id} ${record.type} ${record.subject}`, record]))
  // In a fixed order, so that concurrent transactions can't deadlock.
  const inOrder = [...unique].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, record]) => record)
  const names = sql.join(Object.keys(columns).map((name) => sql.ref(name)))
  await sql`
    insert into channel_news (${names}) select ${names} from ${db.rows('told', columns, inOrder)} where true
    on conflict (channel_id, type, subject) where message_id is null
    do update set at = excluded.at, data = excluded.data`.execute(tx)
}

/** Deletes the oldest notices beyond `mostWaiting`, since they accumulate while a channel is quiet. */
async function dropOldest(db: Db, tx: Queries, rows: readonly Pending[]): Promise<void> {
  const channelRows = [...new Set(rows.map(({ channelId }) => channelId))].map((channel_id) => ({ channel_id }))
  const { rows: found } = await sql<{ channel_id: string; at: Instant | null }>`
    select channel_id, (select at from channel_news where channel_news.channel_id = asked.channel_id
      and message_id is null order by at desc limit 1 offset ${sql.lit(mostWaiting - 1)}) as at
    from ${db.rows('asked', { channel_id: 'text' }, channelRows)}`.execute(tx)
  const full = found.filter(({ at }) => at !== null)
  if (full.length === 0) return
  // Skip locked rows: a concurrent change makes them newer.
  await sql`delete from channel_news where id in (
    select old.id from ${db.rows('full_one', { channel_id: 'text', at: 'bigint' }, full)}
    join channel_news as old on old.channel_id = full_one.channel_id and old.message_id is null and old.at < full_one.at
    where not exists (select 1 from entry where entry.id = old.subject)
    ${rowLock(db, 'update', { of: ['old'], skipLocked: true })})`.execute(tx)
}

/** The channels that may get any of these notices. Locks them against deletion until the transaction ends. */
async function listenersOf(db: Db, tx: Queries, notices: readonly Notice[]): Promise<Listener[]> {
  const users = notices.map(userOf)
  const rows = await tx
    .selectFrom('channel')
    .innerJoin('users', 'users.id', 'channel.user_id')
    .select(['channel.id', 'channel.user_id', 'channel.type', 'channel.events', 'channel.tools', 'channel.entries'])
    .select('users.admin_level')
    .where('channel.status', '=', 1)
    .where('channel.confirmed', '=', 1)
    .where('users.status', '=', Active)
    .where((eb) =>
      eb.or([
        sql<boolean>`${db.isOneOf('channel.user_id', [...new Set(users.flatMap((id) => id ?? []))])}`,
        ...(users.includes(undefined) ? [eb('users.admin_level', '=', 2)] : []),
      ]),
    )
    .orderBy('channel.id')
    .modifyEnd(rowLock(db, 'key share', { of: ['channel'] }))
    .execute()
  return rows.map((row) => ({
    id: row.id,
    type: row.type,
    userId: row.user_id,
    isAdmin: (row.admin_level ?? 0) >= 2,
    events: JSON.parse(row.events),
    tools: row.tools === null ? null : JSON.parse(row.tools),
    entries: row.entries === null ? null : JSON.parse(row.entries),
  }))
}

/** Undefined for a notice to all admins. */
export function userOf(notice: Notice): string | undefined {
  if ('entry' in notice) return notice.ownerId
  return notice.type === 'account' ? notice.userId : undefined
}
