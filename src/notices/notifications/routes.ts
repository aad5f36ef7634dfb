import * as z from 'zod/mini'
import { writeAudit } from '../../people/audit/log.ts'
import type { Context } from '../../platform/context.ts'
import { actorOf } from '../../platform/http/access/actor.ts'
import { callerOf, guard } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { AnnounceBody, Notification } from './contract.ts'
import { announce, eventOf, listAnnouncements } from './store.ts'

const path = '/api/v1/admin/notifications'
const tags = ['Users']

/** The calls by which admins send messages to everyone. */
export function notificationRoutes(app: App, { db, events, now }: Pick<Context, 'db' | 'events' | 'now'>): void {
  app.get(
    path,
    {
      ...guard('Admin', 2, 'read'),
      schema: {
        tags,
        summary: 'List announcements of the last 30 days, newest first',
        response: { 200: z.array(Notification) },
      },
    },
    () => listAnnouncements(db.q, now()),
  )

  app.post(
    path,
    {
      ...guard('Admin', 2, 'write'),
      schema: {
        tags,
        summary: 'Send an announcement to everyone',
        body: AnnounceBody,
        response: { 201: Notification },
      },
    },
    async (request, reply) => {
      const { user } = callerOf(request)
      const { type, message } = request.body
      const at = now()
      const sent = await db.q.transaction().execute(async (tx) => {
        const notification = await announce(tx, request.body, user.name, at)
        await writeAudit(tx, at, {
          actor: actorOf(request),
          action: 'notification.announce',
          target: { id: notification.id, name: 'Everyone' },
          changes: [
            { field: 'type', from: null, to: type },
            { field: 'message', from: null, to: message },
          ],
        })
        return notification
      })
      events.publish([eventOf(sent, { everyone: true })])
      return reply.code(201).send(sent)
    },
  )
}
