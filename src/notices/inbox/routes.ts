import * as z from 'zod/mini'
import { AuditQuery } from '../../people/audit/contract.ts'
import type { Context } from '../../platform/context.ts'
import { callerOf, signedIn } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { inboxChanged } from '../../platform/live/events.ts'
import { Inbox, ReadBody } from './contract.ts'
import { markRead, readInbox } from './store.ts'

const path = '/api/v1/user/inbox'
const tags = ['Your account']

/** The calls by which users read their inbox. */
export function inboxRoutes(app: App, { db, events, now }: Pick<Context, 'db' | 'events' | 'now'>): void {
  app.get(
    path,
    {
      ...signedIn('read'),
      schema: {
        tags,
        summary: 'List your inbox of the last 90 days, newest first',
        description: "For the next page, pass the last item's time as `before`.",
        querystring: AuditQuery,
        response: { 200: Inbox },
      },
    },
    (request) => readInbox(db.q, callerOf(request).user, now(), request.query.before),
  )

  app.post(
    `${path}/read`,
    {
      ...signedIn('write'),
      schema: {
        tags,
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
