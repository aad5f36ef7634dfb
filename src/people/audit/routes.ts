import * as z from 'zod/mini'
import type { Context } from '../../platform/context.ts'
import { callerOf, guard, signedIn } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { Activity, AuditEntry, AuditQuery } from './contract.ts'
import { readActivity, readAudit } from './store.ts'

/** Shows the audit log to those who may edit users, and to everybody their own part of it. */
export function auditRoutes(app: App, { db }: Context): void {
  app.get(
    '/api/v1/admin/audit',
    {
      ...guard('Admin', 2, 'read'),
      schema: {
        tags: ['Users'],
        summary: 'List audit log entries, newest first',
        description: "For the next page, pass the last entry's time as `before`.",
        querystring: AuditQuery,
        response: { 200: z.array(AuditEntry) },
      },
    },
    ({ query }) => readAudit(db.q, query.before),
  )

  app.get(
    '/api/v1/user/activity',
    {
      ...signedIn('never'),
      schema: {
        tags: ['Your account'],
        summary: 'List your recent activity and attempts to sign in, newest first',
        description: "For the next page, pass the last entry's time as `before`.",
        querystring: AuditQuery,
        response: { 200: z.array(Activity) },
      },
    },
    (request) => readActivity(db.q, callerOf(request).user.id, request.query.before),
  )
}
