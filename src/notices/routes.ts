import * as z from 'zod/mini'
import { AuditQuery } from '../people/audit/contract.ts'
import { writeAudit } from '../people/audit/log.ts'
import type { Context } from '../platform/context.ts'
import { actorOf } from '../platform/http/access/actor.ts'
import { callerOf, guard, signedIn } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { inboxChanged } from '../platform/live/events.ts'
import { AnnounceBody, Inbox, Notification, ReadBody } from './contract.ts'
import { announce, listAnnouncements, markRead, readInbox } from './inbox.ts'
import { eventOf } from './toasts.ts'

const inboxPath = '/api/v1/user/inbox'
const announcementsPath = '/api/v1/admin/notifications'

/** The calls by which users read their inbox, and admins send announcements to everyone. */
export function noticeRoutes(app: App, { db, events, now }: Pick<Context, 'db' | 'events' | 'now'>): void {
  app.get(
    announcementsPath,
    {
      ...guard('Admin', 2, 'read'),
      schema: {
        tags: ['Users'],
        summary: 'List announcements of the last 30 days, newest first',
        response: { 200: z.array(Notification) },
      },
    },
    () => listAnnouncements(db.q, now()),
  )

  app.post(
    announcementsPath,
    {
      ...guard('Admin', 2, 'write'),
      schema: {
        tags: ['Users'],
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

  app.get(
    inboxPath,
    {
      ...signedIn('read'),
      schema: {
        tags: ['Your account'],
        summary: 'List your inbox of the last 90 days, newest first',
        description: "For the next page, pass the last item's time as `before`.",
        querystring: AuditQuery,
        response: { 200: Inbox },
      },
    },
    (request) => readInbox(db.q, callerOf(request).user, now(), request.query.before),
  )

  app.post(
    `${inboxPath}/read`,
    {
      ...signedIn('write'),
      schema: {
        tags: ['Your account'],
        summary: 'Mark your inbox as read up to a time',
        body: ReadBody,
        response: { 204: z.null() },
      },
    },
    async (request, reply) => {
      const { user } = callerOf(request)
      if (await markRead(db, user.id, request.body.until, now())) events.publish([inboxChanged(user.id)])
      return reply.code(204).send(null)
    },
  )
}
