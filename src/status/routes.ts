import type { AnyEntryToolServer } from '../entries/tool-server.ts'
import type { Context } from '../platform/context.ts'
import { actingUserOf } from '../platform/http/access/actor.ts'
import { callerOf, guard } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { conflictOf } from '../platform/http/errors.ts'
import { inboxChanged, type LiveEvent } from '../platform/live/events.ts'
import { StatusPage, statusCalls } from './contract.ts'
import { bodyOf } from './public/html.ts'
import { loadPreview } from './public/load.ts'
import { pageStyle } from './public/style.ts'
import { removeStatusPage, saveStatusPage, statusPageOf } from './store.ts'

/** Makes the owner's screens reload the page, and removes the old one from the cache. */
const pageChanged = (userId: string): LiveEvent => ({ type: 'status', to: { userId }, data: null })

export function statusRoutes(app: App, context: Context, tools: ReadonlyMap<string, AnyEntryToolServer>): void {
  const { db, events, config } = context

  const show = async (userId: string): Promise<StatusPage> => {
    const page = await statusPageOf(db.q, userId)
    if (!page) return { slug: null, title: '', text: '', entries: [], url: null, updatedAt: null }
    return { ...page, url: `${config.baseUrl}/status/${page.slug}` }
  }

  const route = routesOf(app, statusCalls, 'Your account')
  route(
    'GET /api/v1/user/status',
    {
      ...guard('Tools', 1, 'read'),
      summary: 'Get your status page',
      description: '`slug` is null while you have none.',
    },
    (request) => show(callerOf(request).user.id),
  )

  route(
    'PUT /api/v1/user/status',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Create or replace your status page',
      failures: [404, 409],
      answers: { 409: conflictOf(StatusPage) },
      description: [
        'The page is public at `url`. It shows the names of these entries in this order, their state, days and incidents,',
        "and their URLs only with `showUrl`. 409 if another user's page has this slug, or had it within 30 days. With",
        '`ifUpdatedAt`, 409 with `current` if the page was saved since, 404 if it was deleted.',
      ].join(' '),
    },
    async (request, reply) => {
      const { id } = callerOf(request).user
      const outcome = await saveStatusPage(context, actingUserOf(request), request.body)
      if (outcome === 'outdated')
        return reply.code(409).send({ error: 'This status page was changed in the meantime.', current: await show(id) })
      events.publish([pageChanged(id), inboxChanged(id)])
      return show(id)
    },
  )

  route(
    'POST /api/v1/user/status/preview',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Preview your status page without saving it',
      description: "Returns what visitors would see. Entries that aren't yours are left out.",
    },
    async (request) => {
      const page = await loadPreview(context, tools, { ownerId: callerOf(request).user.id, ...request.body })
      return { html: bodyOf(page, ''), style: pageStyle }
    },
  )

  route(
    'DELETE /api/v1/user/status',
    {
      ...guard('Tools', 1, 'write'),
      summary: 'Delete your status page',
      failures: [404],
    },
    async (request) => {
      const { id } = callerOf(request).user
      await removeStatusPage(context, id)
      events.publish([pageChanged(id)])
      return { slug: null }
    },
  )
}
