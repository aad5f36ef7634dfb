import { writeAudit } from '../people/audit/log.ts'
import type { Context } from '../platform/context.ts'
import { actorOf } from '../platform/http/access/actor.ts'
import { callerOf, guard, signedIn } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { inboxChanged } from '../platform/live/events.ts'
import { noticeCalls } from './contract.ts'
import { announce, listAnnouncements, markRead, readInbox } from './inbox.ts'
import { eventOf } from './toasts.ts'

/** The calls by which users read their inbox, and admins send announcements to everyone. */
export function noticeRoutes(app: App, { db, events, now }: Pick<Context, 'db' | 'events' | 'now'>): void {
  const ofUsers = routesOf(app, noticeCalls, 'Users')
  const own = routesOf(app, noticeCalls, 'Your account')

  ofUsers(
    'GET /api/v1/admin/notifications',
    { ...guard('Admin', 2, 'read'), summary: 'List announcements of the last 30 days, newest first' },
    () => listAnnouncements(db.q, now()),
  )

  ofUsers(
    'POST /api/v1/admin/notifications',
    { ...guard('Admin', 2, 'write'), summary: 'Send an announcement to everyone' },
    async (request) => {
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
      return sent
    },
  )

  own(
    'GET /api/v1/user/inbox',
    {
      ...signedIn('read'),
      summary: 'List your inbox of the last 90 days, newest first',
      description: "For the next page, pass the last item's time as `before`.",
    },
    (request) => readInbox(db.q, callerOf(request).user, now(), request.query.before),
  )

  own(
    'POST /api/v1/user/inbox/read',
    { ...signedIn('write'), summary: 'Mark your inbox as read up to a time' },
    async (request) => {
      const { user } = callerOf(request)
      if (await markRead(db, user.id, request.body.until, now())) events.publish([inboxChanged(user.id)])
      return null
    },
  )
}
