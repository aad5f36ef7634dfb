import { hash, randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { recountSql } from '../../../platform/db/migrations/counter-triggers.ts'
import type { Db, Queries } from '../../../platform/db/open.ts'
import { deleteInBatches, insertNew } from '../../../platform/db/rows/write.ts'
import type { Tables } from '../../../platform/db/tables.ts'
import { days, type Instant, type Milliseconds } from '../../../shared/time.ts'
import type { DeliveryState } from '../contract.ts'
import { relayVolumes } from '../migrations.ts'
import { deliveryKind, oldestWaiting } from './delivery-job.ts'

/** How long events are kept after their arrival, unless they are still waiting for Discord. */
const eventsKeptFor: Milliseconds = days(30)

export type AttemptResult = { state: DeliveryState; note: string; calls: number; retryIn?: Milliseconds }

export function relayStore(db: Db, q: Queries = db.q) {
  return {
    async setWebhook(entryId: string, webhookId: string) {
      const row = await q.selectFrom('relay').select('webhook_id').where('entry_id', '=', entryId).executeTakeFirst()
      if (row) await q.updateTable('relay').set({ webhook_id: webhookId }).where('entry_id', '=', entryId).execute()
      else await q.insertInto('relay').values({ entry_id: entryId, webhook_id: webhookId }).execute()
      if (row?.webhook_id === webhookId) return
      // A leased job keeps its lane until its run ends.
      await q
        .updateTable('job')
        .set({ lane: webhookId })
        .where('entry_id', '=', entryId)
        .where('kind', '=', deliveryKind)
        .where('lease_by', 'is', null)
        .execute()
    },

    async unblock(entryId: string) {
      const free = { blocked_at: null, blocked_why: null }
      await q.updateTable('relay').set(free).where('entry_id', '=', entryId).execute()
    },

    /** Blocks the entry, or every entry with this webhook; returns the newly blocked ones with their owners. */
    async block(what: { entryId: string } | { webhookId: string }, why: string, at: Instant) {
      const blocked = await q
        .updateTable('relay')
        .set({ blocked_at: at, blocked_why: why })
        .where((eb) => ('entryId' in what ? eb('entry_id', '=', what.entryId) : eb('webhook_id', '=', what.webhookId)))
        .where('blocked_at', 'is', null)
        .returning('entry_id')
        .execute()
      if (blocked.length === 0) return []
      const ids = blocked.map((row) => row.entry_id)
      const named = ['id', 'name', 'about', 'owner_id as ownerId'] as const
      return q.selectFrom('entry').select(named).where('id', 'in', ids).orderBy('id').execute()
    },

    /** Records an accepted delivery: sets the connection time and app name if still unset, and resets `refused`. */
    async recordConnection(entryId: string, at: Instant, app: string | undefined) {
      await q
        .updateTable('relay')
        .set({ connected_at: sql`coalesce(connected_at, ${at})`, refused: 0, refused_at: null, refused_why: null })
        .where('entry_id', '=', entryId)
        .execute()
      const entry = q.updateTable('entry').where('id', '=', entryId).where('about', '=', '')
      if (app) await entry.set({ about: app }).execute()
    },

    async countRejected(entryId: string, why: string, at: Instant) {
      await q
        .updateTable('relay')
        .set({ refused: sql`refused + 1`, refused_at: at, refused_why: why })
        .where('entry_id', '=', entryId)
        .execute()
    },

    async relays(entryIds: readonly string[]) {
      const held = sql<number>`(select count(*) from relay_event
        where state = 'held' and relay_event.entry_id = relay.entry_id)`.as('held')
      const retryAt = sql<Instant | null>`(select due_at from job
        where kind = ${sql.lit(deliveryKind)} and job.entry_id = relay.entry_id)`.as('retry_at')
      const retryWhy = sql<string | null>`(select note from relay_event
        where state = 'accepted' and relay_event.entry_id = relay.entry_id order by seq, id limit 1)`.as('retry_why')
      const rows = await q
        .selectFrom('relay')
        .selectAll()
        .select([held, retryAt, retryWhy])
        .where(db.isOneOf('entry_id', entryIds))
        .execute()
      return new Map(rows.map((row) => [row.entry_id, row]))
    },

    due: (entryId: string) =>
      oldestWaiting(q, entryId)
        .select(['event.id', 'event.resource', 'event.action', 'event.payload', 'event.note', 'event.failed'])
        .select(['event.wait_until as waitUntil', 'relay.webhook_id as webhookId', 'relay.blocked_why as blocked'])
        .executeTakeFirst(),

    /** Inserts events in a transaction, and skips known ones; returns the ids of the new ones. */
    insert: (events: readonly NewEvent[]): Promise<Set<string>> =>
      insertNew(db, q, {
        table: 'relay_event',
        key: 'event_key',
        columns,
        records: events.map((event) => ({ ...event, event_key: shortKey(`${event.entry_id} ${event.event_id}`) })),
        sums: relayVolumes,
      }),

    /** Records the outcome of an attempt; `retryIn` is the time until the next one. */
    async recordAttempt(entryId: string, id: string, { retryIn, ...result }: AttemptResult, at: Instant) {
      const failed =
        retryIn === undefined ? {} : { failed: sql<number>`failed + 1`, wait_until: Math.ceil(at + retryIn) }
      await q
        .updateTable('relay_event')
        .set({ state: result.state, note: result.note, attempts: sql`attempts + ${result.calls}`, ...failed })
        .where('entry_id', '=', entryId)
        .where('id', '=', id)
        .where('state', '=', 'accepted')
        .execute()
    },

    /** Adapts to a change of the clock: shifts planned attempts, and arrival times that are in the future. */
    async shiftWaits(entryIds: readonly string[], by: Milliseconds, now: Instant) {
      const moved = db.isOneOf('entry_id', entryIds)
      await sql`update relay_event set wait_until = wait_until + ${by}
        where state = 'accepted' and wait_until > 0 and ${moved}`.execute(q)
      await sql`update relay_event set received_at = received_at + ${by}
        where state = 'accepted' and received_at > ${now} and ${moved}`.execute(q)
    },

    /** Makes waiting events due immediately, and resets their failed attempts. */
    async makeDueNow(entryId: string) {
      await q
        .updateTable('relay_event')
        .set({ failed: 0, wait_until: 0 })
        .where('entry_id', '=', entryId)
        .where('state', '=', 'accepted')
        .where('wait_until', '>', 0)
        .execute()
    },

    /** Adapts events imported from another database: they keep their order and precede all later events. */
    async afterImport() {
      // Inserting the events has added to the imported counters.
      await sql.raw(recountSql(relayVolumes)).execute(q)
      await sql`update relay_event set seq = seq - (select max(seq) from relay_event)`.execute(q)
    },

    deleteEventsOf: (entryIds: readonly string[]) =>
      deleteInBatches(q, 'relay_event', { key: ['entry_id', 'id'], where: db.isOneOf('entry_id', entryIds) }),

    /** Deletes old events, including parked ones, unless they are still waiting for Discord. */
    async cleanUp(now: Instant) {
      const first = firstIdOf(now - eventsKeptFor)
      const where = sql<boolean>`entry_id in (select entry_id from relay) and id < ${first} and state <> 'accepted'`
      await deleteInBatches(q, 'relay_event', { key: ['entry_id', 'id'], where })
    },
  }
}

const columns = {
  id: 'text',
  entry_id: 'text',
  event_id: 'text',
  event_key: 'text',
  resource: 'text',
  action: 'text',
  state: 'text',
  received_at: 'bigint',
  note: 'text',
  payload: 'text',
  collapse_key: 'text',
} as const

/** The row of an event that arrived, without its key. */
export type NewEvent = Pick<Selectable<Tables['relay_event']>, Exclude<keyof typeof columns, 'event_key'>> & {
  state: DeliveryState
}

export type NextId = () => { id: string; at: Instant }

/** Returns a generator of unique ids with their creation time. They sort by creation, even within a millisecond. */
export function eventIds(now: () => Instant): NextId {
  const ours = randomUUID().slice(-12)
  let last: Instant = 0
  let serial = 0
  return () => {
    const at = Math.max(now(), last)
    serial = at === last ? serial + 1 : 0
    last = at
    return { id: firstIdOf(at) + serial.toString(16).padStart(5, '0') + ours, at }
  }
}

export const firstIdOf = (at: Instant): string => Math.max(0, at).toString(16).padStart(12, '0')

/** The first 132 bits of a digest: unique, and small in an index. */
export const shortKey = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)
