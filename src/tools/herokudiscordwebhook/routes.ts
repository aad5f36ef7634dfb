import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import type * as z from 'zod/mini'
import { changeEntry } from '../../entries/edit/edit.ts'
import { entryStore } from '../../entries/store.ts'
import { entryChanged } from '../../entries/stored-entry.ts'
import type { AnyEntryToolServer } from '../../entries/tool-server.ts'
import type { Context } from '../../platform/context.ts'
import { lockEntry } from '../../platform/db/locks.ts'
import type { Queries } from '../../platform/db/open.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { transact } from '../../platform/db/transact.ts'
import { actingUserOf } from '../../platform/http/access/actor.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App, Caller } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { HttpError, invalid, notFound } from '../../shared/http-error.ts'
import type { Instant } from '../../shared/time.ts'
import {
  type DeliveriesQuery,
  type Delivery,
  type DeliveryState,
  herokudiscordwebhook,
  herokudiscordwebhookCalls,
  mostListed,
  type Preview,
  type PreviewBody,
  type ReplayBody,
  runStates,
} from './contract.ts'
import { dropReason, parseEvent } from './event/event.ts'
import { examples } from './event/examples.ts'
import { hookRoute } from './hook.ts'
import { headlineOf, messageOf, testEvent } from './message/message.ts'
import { cardStore, likenessOf, matchCard } from './outbound/deploy-cards.ts'
import { type Facts, factsOf, mergeFacts, publishedAt } from './outbound/deploy-facts.ts'
import { deployMessage, hasFailed } from './outbound/send-deploy.ts'
import { enforceBounds } from './queue/bounds.ts'
import { rescheduleDelivery } from './queue/delivery-job.ts'
import { eventIds, firstIdOf, type NewEvent, type NextId, relayStore } from './queue/store.ts'
import { newSecret, previousUntil } from './secrets.ts'

export function routes(app: App, context: Context, tool: AnyEntryToolServer): void {
  const { label, id: toolId } = herokudiscordwebhook
  const route = routesOf(app, herokudiscordwebhookCalls, label)
  const nextId = eventIds(context.now)
  const find = (id: string, user: Caller['user']) => entryStore(context.db).get(toolId, id, user)

  route(
    'GET /api/v1/herokudiscordwebhook/deliveries',
    {
      ...guard('Tools', 1, 'read'),
      summary: "List an entry's deliveries, newest first",
      failures: [404],
      description: 'Returns at most 200. To get the next page, pass the ID of the last delivery as `before`.',
    },
    async (request) => {
      const { id, ...filter } = request.query
      await find(id, callerOf(request).user)
      return listDeliveries(context.db.q, id, filter)
    },
  )

  route(
    'GET /api/v1/herokudiscordwebhook/delivery',
    {
      ...guard('Tools', 1, 'read'),
      summary: 'Get a delivery with its stored event',
      failures: [404],
    },
    async (request) => {
      const { id } = await find(request.query.id, callerOf(request).user)
      return getDelivery(context.db.q, id, request.query.delivery)
    },
  )

  route(
    'POST /api/v1/herokudiscordwebhook/deliveries/replay',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Replay deliveries',
      failures: [404, 409, 429],
    },
    async (request) => ({ count: await replay(context, callerOf(request).user, request.body) }),
  )

  route(
    'POST /api/v1/herokudiscordwebhook/test?id',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Send a test message',
      failures: [404, 409, 429],
    },
    async (request) => {
      await sendTest(context, callerOf(request).user, request.query.id, nextId)
      return { id: request.query.id }
    },
  )

  route(
    'POST /api/v1/herokudiscordwebhook/secret?id',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Generate a new secret; the old one stays valid for 24 hours',
      failures: [404],
    },
    async (request) => {
      const { user } = callerOf(request)
      const secret = newSecret()
      const { id } = await changeEntry(context, tool, actingUserOf(request), request.query.id, { secret })
      const { settings, updatedAt } = await find(id, user)
      return { secret, previousUntil: previousUntil(settings), updatedAt }
    },
  )

  route(
    'POST /api/v1/herokudiscordwebhook/preview',
    { ...guard('Tools', 1, 'write'), summary: 'Preview a message', failures: [404] },
    async (request) => {
      const { id, ...options } = request.body
      const entry = id === undefined ? undefined : await find(id, callerOf(request).user)
      return preview(context, options, entry && { id: entry.id, last: await lastPayload(context.db.q, entry.id) })
    },
  )

  hookRoute(app, context, nextId)
}

type Options = Omit<z.infer<typeof PreviewBody>, 'id'>
type PreviewEntry = { id: string; last: unknown }

/** The default example with cards: the last event of a deploy, which shows the finished card. */
const wholeDeploy = 'release-succeeded'

async function preview(context: Context, options: Options, entry: PreviewEntry | undefined): Promise<Preview> {
  const defaultExample = options.card ? wholeDeploy : examples[0]?.name
  const chosen = options.example ?? (entry?.last === undefined ? defaultExample : undefined)
  const example = examples.find(({ name }) => name === chosen)
  if (chosen !== undefined && !example) throw invalid('example', 'Example not found.')
  const event = parseEvent(example ? example.payload : entry?.last)
  if ('problem' in event) throw invalid('example', event.problem)
  const facts = options.card ? factsOf(event) : undefined
  const result = facts
    ? cardOf(facts, example ? earlierExamples(facts) : await findCardFacts(context, entry, facts), options)
    : ({ message: messageOf(event, options), outcome: 'message' } as const)
  return {
    ...result,
    dropped: dropReason(options.filter, event),
    example: example?.name ?? null,
    examples: examples.map(({ name, title }) => ({ name, title })),
  }
}

/** The card with the facts of earlier events. A failure is shown as the new message that it is posted as. */
function cardOf(facts: Facts, before: Facts | undefined, options: Options): Pick<Preview, 'message' | 'outcome'> {
  const all = before ? mergeFacts(before, facts) : facts
  const isFailure = hasFailed(all)
  const message = deployMessage(all, { ...options, mentionRole: isFailure ? options.mentionRole : null })
  if (!before) return { message, outcome: 'card' }
  return { message, outcome: isFailure ? 'failure' : 'edit' }
}

async function findCardFacts(
  { db, now }: Context,
  entry: PreviewEntry | undefined,
  facts: Facts,
): Promise<Facts | undefined> {
  if (!entry) return undefined
  const cards = await cardStore(db.q).findCandidates(entry.id, facts, now())
  const { card } = matchCard(cards, facts, { id: '', webhookId: '', threadId: null })
  return card.id === '' ? undefined : card.facts
}

const exampleFacts: readonly Facts[] = examples
  .map(({ payload }) => parseEvent(payload))
  .flatMap((event) => ('problem' in event ? [] : (factsOf(event) ?? [])))

const earlierExamples = (facts: Facts): Facts | undefined =>
  exampleFacts
    .filter((other) => publishedAt(other) < publishedAt(facts) && likenessOf(other, facts) !== 'none')
    .reduce<Facts | undefined>((joined, other) => (joined ? mergeFacts(joined, other) : other), undefined)

/** The number of deliveries whose payloads can be parsed within a few milliseconds. */
const readBatchSize = 50

type Query = Omit<DeliveriesQuery, 'id'>

const eventsOf = (q: Queries, entryId: string) =>
  q.selectFrom('relay_event').selectAll().where('entry_id', '=', entryId)

/** Lists an entry's deliveries from `since` to `before` (exclusive) by state and logged text, newest first. */
async function listDeliveries(
  q: Queries,
  entryId: string,
  { search = '', state, since, before, size = mostListed }: Query,
): Promise<Delivery[]> {
  const text = search.toLowerCase()
  const all = eventsOf(q, entryId)
  const recent = since === undefined ? all : all.where('id', '>=', firstIdOf(since))
  const chosen = state === undefined ? recent : recent.where('state', 'in', state === 'run' ? listedAsRuns : [state])
  const page = chosen.orderBy('id', 'desc').limit(readBatchSize)
  const found: Delivery[] = []
  let older =
    before === undefined ? page : page.where('id', '<', typeof before === 'number' ? firstIdOf(before) : before)
  for (;;) {
    const rows = await older.execute()
    found.push(...rows.map(deliveryOf).filter((delivery) => textOf(delivery).includes(text)))
    const last = rows.at(-1)
    if (!last || rows.length < readBatchSize || found.length >= size) return found.slice(0, size)
    older = page.where('id', '<', last.id)
    // Let other requests run before reading more payloads.
    await setImmediate()
  }
}

const listedAsRuns: readonly DeliveryState[] = ['accepted', ...runStates]

const textOf = ({ eventId, resource, action, title, note }: Delivery) =>
  [eventId, `${resource} ${action}`, title, note].join('\n').toLowerCase()

const deliveryOf = (row: Selectable<Tables['relay_event']>): Delivery => ({
  id: row.id,
  eventId: row.event_id,
  resource: row.resource,
  action: row.action,
  ...titleOf(row.payload),
  state: row.state as DeliveryState,
  receivedAt: row.received_at,
  attempts: row.attempts,
  ...(row.note === null ? {} : { note: row.note }),
})

function titleOf(payload: string): { title?: string } {
  const event = parseEvent(JSON.parse(payload))
  return 'problem' in event ? {} : { title: headlineOf(event) }
}

/** Returns a delivery with its stored event. Throws a 404 if there is none with this id. */
async function getDelivery(q: Queries, entryId: string, id: string) {
  const row = await eventsOf(q, entryId).where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('Delivery')
  return { ...deliveryOf(row), payload: JSON.parse(row.payload) as unknown }
}

async function lastPayload(q: Queries, entryId: string): Promise<unknown> {
  const events = eventsOf(q, entryId).where('resource', '<>', testEvent.resource)
  const row = await events.orderBy('id', 'desc').limit(1).executeTakeFirst()
  return row && JSON.parse(row.payload)
}

/** Queues deliveries to be sent to Discord again, in order of arrival; returns how many. */
async function replay(context: Context, user: Caller['user'], { id, deliveries, state, since }: ReplayBody) {
  const isDefault = deliveries === undefined && since === undefined
  const chosen = { ids: deliveries, since, heldOnly: state === 'held' || isDefault }
  return queueEvents(context, user, id, (tx) => reopen(tx, id, chosen))
}

type ReplaySelection = { ids?: readonly string[] | undefined; heldOnly: boolean; since?: Instant | undefined }

export async function reopen(tx: Queries, entryId: string, { ids, heldOnly, since }: ReplaySelection): Promise<number> {
  if (ids?.length === 0) return 0
  let chosen = tx
    .updateTable('relay_event')
    .set({ state: 'accepted', failed: 0, wait_until: 0, note: null })
    .where('entry_id', '=', entryId)
  // Ignored and collapsed deliveries are sent only if selected by id.
  if (heldOnly) chosen = chosen.where('state', '=', 'held')
  else chosen = chosen.where('state', 'in', ids ? replayableStates : runStates)
  if (ids) chosen = chosen.where('id', 'in', ids)
  if (since !== undefined) chosen = chosen.where('id', '>=', firstIdOf(since))
  return (await chosen.returning('id').execute()).length
}

const replayableStates: readonly DeliveryState[] = [...runStates, 'ignored', 'collapsed']

/** Queues a test message after all waiting events. Throws a 409 if the entry is full. */
async function sendTest(context: Context, user: Caller['user'], id: string, nextId: NextId): Promise<void> {
  context.visitLimits.consumeCheck(user.id)
  const { id: eventId, at } = nextId()
  await queueEvents(context, user, id, async (tx) => {
    const event: NewEvent = {
      id: eventId,
      entry_id: id,
      event_id: `test-${randomUUID()}`,
      ...testEvent,
      state: 'accepted',
      received_at: at,
      note: null,
      payload: '{}',
      collapse_key: null,
    }
    await relayStore(context.db, tx).insert([event])
    const refused = await enforceBounds(context.db, tx, [event])
    if (refused.size > 0) throw new HttpError(409, 'Too many events of this entry are waiting for Discord.')
    return 1
  })
}

/** Queues events and unblocks the entry: a user who replays or tests has probably fixed it. */
async function queueEvents(
  context: Context,
  user: Caller['user'],
  id: string,
  choose: (tx: Queries) => Promise<number>,
): Promise<number> {
  const { count, ownerId } = await transact(context.db, async (tx) => {
    const entries = entryStore(context.db, tx)
    await lockEntry(context.db, tx, id)
    const entry = await entries.get(herokudiscordwebhook.id, id, user)
    if (!entry.ownerActive) throw new HttpError(409, "The owner's account is not active, so this entry is paused.")
    const count = await choose(tx)
    await relayStore(context.db, tx).unblock(id)
    await rescheduleDelivery(context.db, tx, id, { at: context.now() })
    return { count, ownerId: entry.ownerId }
  })
  context.events.publish([entryChanged(herokudiscordwebhook.id, id, ownerId)])
  context.jobs.wake()
  return count
}
