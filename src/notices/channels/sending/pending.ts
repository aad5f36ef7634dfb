import { sql } from 'kysely'
import type { Context } from '../../../platform/context.ts'
import { rowLock } from '../../../platform/db/locks.ts'
import type { Queries } from '../../../platform/db/open.ts'
import { exists } from '../../../platform/db/rows/read.ts'
import { transact } from '../../../platform/db/transact.ts'
import type { Job } from '../../../platform/jobs/job.ts'
import { type Milliseconds, minutes } from '../../../shared/time.ts'
import { channelOf, deliveries, newMessageId } from '../../jobs.ts'
import { type Message, type MessageKind, messageOf, mostNamed, StoredChange } from '../message.ts'
import type { StoredChannel } from '../store.ts'

const messageInterval: Milliseconds = minutes(1)

type PendingContext = Pick<Context, 'db' | 'config' | 'now'>

/** The wait until a channel's next message. Ignores a last message in the future: the clock was set back since. */
export function messageWait({ toldAt }: StoredChannel, at: number): Milliseconds {
  return toldAt === null || toldAt > at ? 0 : Math.max(0, toldAt + messageInterval - at)
}

/** Whether the channel has pending notices that aren't part of a message yet. */
export const isPending = ({ db }: PendingContext, { id }: StoredChannel): Promise<boolean> =>
  exists(db.q.selectFrom('channel_news').where('channel_id', '=', id).where('message_id', 'is', null))

/**
 * Combines all notices of the type that has waited longest, but keeps an entry's changes in order: a change waits for a
 * later message if an earlier change of another type is still pending.
 */
export async function composeMessage({ db }: PendingContext, { id }: StoredChannel): Promise<void> {
  await transact(db, async (tx) => {
    const pending = tx.selectFrom('channel_news').where('channel_id', '=', id).where('message_id', 'is', null)
    const oldest = await pending
      .select(['type', sql<number>`min(at)`.as('at')])
      .groupBy('type')
      .orderBy('at')
      .execute()
    const types = oldest.map(({ type }) => type)
    for (const type of types) {
      const others = types.filter((other) => other !== type)
      // Locked rows wait for the next message: the transaction that is changing them also adds a job.
      const { rows } = await sql`
        update channel_news set message_id = ${newMessageId()} where id in (
          select waiting.id from channel_news as waiting
          where waiting.channel_id = ${id} and waiting.type = ${type} and waiting.message_id is null and not (${cameBefore(others)})
          ${rowLock(db, 'no key update', { of: ['waiting'], skipLocked: true })}) returning id`.execute(tx)
      if (rows.length > 0) return
    }
  })
}

const cameBefore = (types: readonly string[]) =>
  types.length === 0
    ? sql`1 = 0`
    : sql`exists (select 1 from channel_news as other where other.channel_id = waiting.channel_id
        and other.type in (${sql.join(types)}) and other.subject = waiting.subject and other.message_id is null
        and other.at < waiting.at)`

export async function nextMessage(
  { db, config }: PendingContext,
  { id, quiet }: StoredChannel,
): Promise<{ message: Message; more: boolean } | undefined> {
  const messages = await db.q
    .selectFrom('channel_news')
    .select(['message_id', 'type'])
    .select(({ fn }) => [fn.max<number>('at').as('at'), fn.countAll<number>().as('count')])
    .where('channel_id', '=', id)
    .where('message_id', 'is not', null)
    .groupBy(['message_id', 'type'])
    .orderBy(({ fn }) => fn.min('at'))
    .orderBy('message_id')
    .limit(2)
    .execute()
  const [first] = messages
  if (!first?.message_id) return undefined
  const rows = await db.q
    .selectFrom('channel_news')
    .select('data')
    .where('channel_id', '=', id)
    .where('message_id', '=', first.message_id)
    .orderBy('at')
    .orderBy('id')
    .limit(mostNamed)
    .execute()
  const facts = {
    id: first.message_id,
    kind: first.type as MessageKind,
    at: first.at,
    changes: rows.map(({ data }) => StoredChange.parse(JSON.parse(data))),
    count: Number(first.count),
  }
  const message = messageOf(facts, { baseUrl: config.baseUrl, zone: quiet?.zone ?? 'UTC' })
  return { message, more: messages.length > 1 }
}

export async function deletePending(tx: Queries, channelId: string, message?: string): Promise<void> {
  const rows = tx.deleteFrom('channel_news').where('channel_id', '=', channelId)
  await (message === undefined ? rows : rows.where('message_id', '=', message)).execute()
}

/**
 * Deletes a channel's other unleased jobs for notices, if none is pending or this job stays to send it. One statement,
 * so that a concurrently added job is seen together with its notices or not at all.
 */
export async function dropSpareJobs(
  { db }: Pick<Context, 'db'>,
  tx: Queries,
  job: Job,
  { isKept }: { isKept: boolean },
): Promise<void> {
  const channel = channelOf(job)
  const isNeeded = isKept ? sql`1 = 0` : sql`exists (select 1 from channel_news where channel_id = ${channel})`
  await sql`
    with spare as materialized (
      select id from job where lane = ${channel} and kind = ${deliveries.notices} and id <> ${job.id} and lease_by is null
        and not (${isNeeded}) ${rowLock(db, 'update', { of: ['job'], skipLocked: true })})
    delete from job where id in (select id from spare)`.execute(tx)
}
