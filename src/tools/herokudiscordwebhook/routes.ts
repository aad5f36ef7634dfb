import * as z from 'zod/mini'
import { EntryId } from '../../entries/contract.ts'
import { changeEntry } from '../../entries/edit/edit.ts'
import { entryStore } from '../../entries/store.ts'
import type { AnyEntryToolServer } from '../../entries/tool-server.ts'
import type { Context } from '../../platform/context.ts'
import { byOf } from '../../platform/http/access/actor.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { tooManyVisits } from '../../platform/http/description/failures.ts'
import {
  DeliveriesQuery,
  Delivery,
  DeliveryDetail,
  DeliveryQuery,
  herokudiscordwebhook,
  NewSecret,
  Preview,
  PreviewBody,
  ReplayAnswer,
  ReplayBody,
} from './contract.ts'
import { eventIds } from './event/event-ids.ts'
import { hook } from './inbound/hook.ts'
import { preview } from './preview.ts'
import { listDeliveries } from './queue/deliveries.ts'
import { replay, sendTest } from './queue/replay.ts'
import { relayStore } from './queue/store.ts'
import { newSecret, previousUntil } from './secrets.ts'

/** The calls that only this tool has: Heroku's endpoint, the log with replay, a test, a new secret and a preview. */
export function routes(app: App, context: Context, tool: AnyEntryToolServer): void {
  const { path, label, id: toolId } = herokudiscordwebhook
  const tags = [label]
  const store = relayStore(context.db)
  const nextId = eventIds(context.now)
  const find = (id: string, user: Caller['user']) => entryStore(context.db).get(toolId, id, user)

  app.get(
    `${path}/deliveries`,
    {
      ...guard('Tools', 1, 'read'),
      schema: {
        tags,
        summary: "List an entry's deliveries, newest first",
        failures: { 404: 'Entry not found.' },
        description: 'At most 200. For the next ones, pass the ID of the last one as `before`.',
        querystring: DeliveriesQuery,
        response: { 200: z.array(Delivery) },
      },
    },
    async (request) => {
      const { id, ...asked } = request.query
      await find(id, callerOf(request).user)
      return listDeliveries(context.db.q, id, asked)
    },
  )

  app.get(
    `${path}/delivery`,
    {
      ...guard('Tools', 1, 'read'),
      schema: {
        tags,
        summary: 'Get a delivery with its stored event',
        failures: { 404: ['Entry not found.', 'Delivery not found.'] },
        querystring: DeliveryQuery,
        response: { 200: DeliveryDetail },
      },
    },
    async (request) => {
      const { id } = await find(request.query.id, callerOf(request).user)
      return store.delivery(id, request.query.delivery)
    },
  )

  app.post(
    `${path}/deliveries/replay`,
    {
      ...guard('Tools', 1, 'write'),
      schema: {
        tags,
        summary: 'Replay deliveries',
        failures: {
          404: 'Entry not found.',
          409: 'Too many events of this entry are waiting for Discord.',
          429: tooManyVisits,
        },
        body: ReplayBody,
        response: { 202: ReplayAnswer },
      },
    },
    async (request, reply) =>
      reply.code(202).send({ count: await replay(context, callerOf(request).user, request.body) }),
  )

  app.post(
    `${path}/test`,
    {
      ...guard('Tools', 1, 'write'),
      schema: {
        tags,
        summary: 'Send a test message',
        failures: {
          404: 'Entry not found.',
          409: "The owner's account is not active, so this entry is paused.",
          429: tooManyVisits,
        },
        querystring: EntryId,
        response: { 202: EntryId },
      },
    },
    async (request, reply) => {
      await sendTest(context, callerOf(request).user, request.query.id, nextId)
      return reply.code(202).send({ id: request.query.id })
    },
  )

  app.post(
    `${path}/secret`,
    {
      ...guard('Tools', 1, 'write'),
      schema: {
        tags,
        summary: 'Generate a new secret; the old one stays valid for 24 hours',
        failures: { 404: 'Entry not found.' },
        querystring: EntryId,
        response: { 200: NewSecret },
      },
    },
    async (request) => {
      const { user } = callerOf(request)
      const secret = newSecret()
      const { id } = await changeEntry(context, tool, byOf(request), request.query.id, { secret })
      const { settings, updatedAt } = await find(id, user)
      return { secret, previousUntil: previousUntil(settings), updatedAt }
    },
  )

  app.post(
    `${path}/preview`,
    {
      ...guard('Tools', 1, 'write'),
      schema: {
        tags,
        summary: 'Preview a message',
        failures: { 404: 'Entry not found.' },
        body: PreviewBody,
        response: { 200: Preview },
      },
    },
    async (request) => {
      const { id, ...options } = request.body
      const entry = id === undefined ? undefined : await find(id, callerOf(request).user)
      return preview(context, options, entry && { id: entry.id, last: await store.lastPayload(entry.id) })
    },
  )

  hook(app, context, nextId)
}
