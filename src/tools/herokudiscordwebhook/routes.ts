import { changeEntry } from '../../entries/edit/edit.ts'
import { entryStore } from '../../entries/store.ts'
import type { AnyEntryToolServer } from '../../entries/tool-server.ts'
import type { Context } from '../../platform/context.ts'
import { byOf } from '../../platform/http/access/actor.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { tooManyVisits } from '../../platform/http/description/failures.ts'
import { herokudiscordwebhook, herokudiscordwebhookCalls } from './contract.ts'
import { hook } from './hook.ts'
import { preview } from './preview.ts'
import { getDelivery, lastPayload, listDeliveries, replay, sendTest } from './queue/deliveries.ts'
import { eventIds } from './queue/store.ts'
import { newSecret, previousUntil } from './secrets.ts'

/** The calls that only this tool has: Heroku's endpoint, the log with replay, a test, a new secret and a preview. */
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
      failures: { 404: 'Entry not found.' },
      description: 'At most 200. For the next ones, pass the ID of the last one as `before`.',
    },
    async (request) => {
      const { id, ...asked } = request.query
      await find(id, callerOf(request).user)
      return listDeliveries(context.db.q, id, asked)
    },
  )

  route(
    'GET /api/v1/herokudiscordwebhook/delivery',
    {
      ...guard('Tools', 1, 'read'),
      summary: 'Get a delivery with its stored event',
      failures: { 404: ['Entry not found.', 'Delivery not found.'] },
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
      failures: {
        404: 'Entry not found.',
        409: 'Too many events of this entry are waiting for Discord.',
        429: tooManyVisits,
      },
    },
    async (request) => ({ count: await replay(context, callerOf(request).user, request.body) }),
  )

  route(
    'POST /api/v1/herokudiscordwebhook/test?id',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Send a test message',
      failures: {
        404: 'Entry not found.',
        409: "The owner's account is not active, so this entry is paused.",
        429: tooManyVisits,
      },
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
      failures: { 404: 'Entry not found.' },
    },
    async (request) => {
      const { user } = callerOf(request)
      const secret = newSecret()
      const { id } = await changeEntry(context, tool, byOf(request), request.query.id, { secret })
      const { settings, updatedAt } = await find(id, user)
      return { secret, previousUntil: previousUntil(settings), updatedAt }
    },
  )

  route(
    'POST /api/v1/herokudiscordwebhook/preview',
    { ...guard('Tools', 1, 'write'), summary: 'Preview a message', failures: { 404: 'Entry not found.' } },
    async (request) => {
      const { id, ...options } = request.body
      const entry = id === undefined ? undefined : await find(id, callerOf(request).user)
      return preview(context, options, entry && { id: entry.id, last: await lastPayload(context.db.q, entry.id) })
    },
  )

  hook(app, context, nextId)
}
