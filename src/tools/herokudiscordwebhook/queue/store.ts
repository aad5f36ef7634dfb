import { type Selectable, sql } from 'kysely'
import type { Db, Queries } from '../../../platform/db/open.ts'
import { deleteInBatches } from '../../../platform/db/rows/delete-in-batches.ts'
import type { Tables } from '../../../platform/db/tables.ts'
import { notFound } from '../../../shared/http-error.ts'
import { days, type Instant, type Milliseconds } from '../../../shared/time.ts'
import { type Delivery, type DeliveryState, mostListed } from '../contract.ts'
import { firstIdOf } from '../inbound/event/event-ids.ts'
import { insertEvents, type NewEvent } from '../inbound/insert-events.ts'
import { deliveryOf } from './delivery-of.ts'

const keptFor = days(30)

export type Made = { state: DeliveryState; note: string; calls: number; retryIn?: Milliseconds }

/** Which deliveries of an entry are meant, when some may be replayed. */
export type Chosen = { ids?: readonly string[] | undefined; heldOnly: boolean; since?: Instant | undefined }

export function relayStore(db: Db, q: Queries = db.q) {
  const ofEntry = (entryId: string) => q.selectFrom('relay_event').selectAll().where('entry_id', '=', entryId)

  return {
    /** Says where an entry leads; a webhook that was not there before has refused nothing yet. */
    async lead(entryId: string, webhookId: string) {
      const known = await q.selectFrom('relay').select('webhook_id').where('entry_id', '=', entryId).executeTakeFirst()
      if (known) await q.updateTable('relay').set({ webhook_id: webhookId }).where('entry_id', '=', entryId).execute()
      else await q.insertInto('relay').values({ entry_id: entryId, webhook_id: webhookId }).execute()
      if (known?.webhook_id === webhookId) return
      // What is out keeps its lane busy until it is back.
      await q
        .updateTable('job')
        .set({ lane: webhookId })
        .where('entry_id', '=', entryId)
        .where('kind', '=', 'delivery')
        .where('lease_by', 'is', null)
        .execute()
    },

    /** Lets the entry's webhook be called again. */
    async unblock(entryId: string) {
      const free = { blocked_at: null, blocked_why: null }
      await q.updateTable('relay').set(free).where('entry_id', '=', entryId).execute()
    },

    /** Holds the entry, or every entry that leads to the webhook; answers those that were not held before, with their owners. */
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
      return q.selectFrom('entry').select(['id', 'owner_id as ownerId']).where('id', 'in', ids).orderBy('id').execute()
    },

    /** A delivery was taken: the entry is connected since the first one, and what was refused before is mended. */
    async noteConnected(entryId: string, at: Instant) {
      await q
        .updateTable('relay')
        .set({ connected_at: sql`coalesce(connected_at, ${at})`, refused: 0, refused_at: null, refused_why: null })
        .where('entry_id', '=', entryId)
        .execute()
    },

    async countRefused(entryId: string, why: string, at: Instant) {
      await q
        .updateTable('relay')
        .set({ refused: sql`refused + 1`, refused_at: at, refused_why: why })
        .where('entry_id', '=', entryId)
        .execute()
    },

    /** What is known of these entries beside their settings, by id. */
    async relays(entryIds: readonly string[]) {
      const asked = entryIds.map((id) => ({ id }))
      const { rows } = await sql<Selectable<Tables['relay']>>`
        select relay.* from relay join ${db.rows('asked', { id: 'text' }, asked)} on relay.entry_id = asked.id`.execute(
        q,
      )
      return new Map(rows.map((row) => [row.entry_id, row]))
    },

    /** How many events of these entries are held, by id; those with none are left out. */
    async held(entryIds: readonly string[]) {
      const asked = entryIds.map((id) => ({ id }))
      const { rows } = await sql<{ id: string; count: number }>`
        select entry_id as id, count(*) as count from relay_event
        join ${db.rows('asked', { id: 'text' }, asked)} on entry_id = asked.id
        where state = 'held' group by entry_id`.execute(q)
      return new Map(rows.map(({ id, count }) => [id, count]))
    },

    /** The oldest event of an entry on its way, whether its webhook may be called, and whether another of its lane is out. */
    due: (entryId: string, now: Instant) =>
      q
        .selectFrom('relay_event as event')
        .innerJoin('relay', 'relay.entry_id', 'event.entry_id')
        .select(['event.id', 'event.resource', 'event.action', 'event.payload', 'event.note', 'event.failed'])
        .select(['event.wait_until as waitUntil', 'relay.webhook_id as webhookId', 'relay.blocked_why as blocked'])
        .select((eb) =>
          eb
            .selectFrom('job')
            .select((of) => of.fn.countAll<number>().as('count'))
            .whereRef('job.lane', '=', 'relay.webhook_id')
            .where('job.lease_by', 'is not', null)
            .where('job.free_at', '>', now)
            .where('job.entry_id', '<>', entryId)
            .as('othersOut'),
        )
        .where('event.entry_id', '=', entryId)
        .where('event.state', '=', sql.lit('accepted'))
        .orderBy('event.seq')
        .orderBy('event.id')
        .limit(1)
        .executeTakeFirst(),

    insert: (events: readonly NewEvent[]) => insertEvents(db, q, events),

    /** What an attempt made of an event on its way. One that is to be followed by another says when that is due. */
    async attempted(entryId: string, id: string, { retryIn, ...made }: Made, at: Instant) {
      const failed =
        retryIn === undefined ? {} : { failed: sql<number>`failed + 1`, wait_until: Math.ceil(at + retryIn) }
      await q
        .updateTable('relay_event')
        .set({ state: made.state, note: made.note, attempts: sql`attempts + ${made.calls}`, ...failed })
        .where('entry_id', '=', entryId)
        .where('id', '=', id)
        .where('state', '=', 'accepted')
        .execute()
    },

    /** The clock was set by so much: attempts to come move along, and so does what came later than now. */
    async shiftWaits(entryIds: readonly string[], by: Milliseconds, now: Instant) {
      const moved = db.rows(
        'moved',
        { id: 'text' },
        entryIds.map((id) => ({ id })),
      )
      await sql`update relay_event set wait_until = wait_until + ${by}
        where state = 'accepted' and wait_until > 0 and entry_id in (select id from ${moved})`.execute(q)
      await sql`update relay_event set received_at = received_at + ${by}
        where state = 'accepted' and received_at > ${now} and entry_id in (select id from ${moved})`.execute(q)
    },

    /** Newest first. */
    async deliveries(entryId: string): Promise<Delivery[]> {
      const rows = await ofEntry(entryId).orderBy('id', 'desc').limit(mostListed).execute()
      return rows.map(deliveryOf)
    },

    async delivery(entryId: string, id: string) {
      const row = await ofEntry(entryId).where('id', '=', id).executeTakeFirst()
      if (!row) throw notFound('Delivery')
      return { ...deliveryOf(row), payload: JSON.parse(row.payload) as unknown }
    },

    /** The payload of the newest event that Heroku sent. */
    async lastPayload(entryId: string): Promise<unknown> {
      const row = await ofEntry(entryId)
        .where('resource', '<>', 'test')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && JSON.parse(row.payload)
    },

    /** Puts deliveries that have ended on their way again; answers how many. */
    async reopen(entryId: string, { ids, heldOnly, since }: Chosen) {
      if (ids?.length === 0) return 0
      let chosen = q
        .updateTable('relay_event')
        .set({ state: 'accepted', failed: 0, wait_until: 0 })
        .where('entry_id', '=', entryId)
      // What was ignored or collapsed goes out only when it is asked for by name.
      if (heldOnly) chosen = chosen.where('state', '=', 'held')
      else chosen = chosen.where('state', 'in', ids ? ended : relayed)
      if (ids) chosen = chosen.where('id', 'in', [...ids])
      if (since !== undefined) chosen = chosen.where('id', '>=', firstIdOf(since))
      return (await chosen.returning('id').execute()).length
    },

    /** The order of arrival is counted anew here: what came from another database comes first. */
    async restartOrder() {
      await q.updateTable('relay_event').set({ seq: 0 }).where('seq', '>', 0).execute()
    },

    /** Drops whatever came for these entries. */
    dropEventsOf: (entryIds: readonly string[]) =>
      deleteInBatches(q, 'relay_event', { key: ['entry_id', 'id'], where: db.isOneOf('entry_id', entryIds) }),

    /** Drops what is older than 30 days, unless it is still on its way. */
    async dropOld(now: Instant) {
      const first = firstIdOf(now - keptFor)
      const where = sql<boolean>`entry_id in (select entry_id from relay) and id < ${first} and state <> 'accepted'`
      await deleteInBatches(q, 'relay_event', { key: ['entry_id', 'id'], where })
    },
  }
}

const relayed: readonly DeliveryState[] = ['delivered', 'held']
const ended: readonly DeliveryState[] = [...relayed, 'ignored', 'collapsed']
