import type { Context } from '../../platform/context.ts'
import { callerOf, guard, signedIn } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { auditCalls } from './contract.ts'
import { readActivity, readAudit } from './store.ts'

const description = "For the next page, pass the last entry's time as `before`."

/** Shows the audit log to those who may edit users, and to everybody their own part of it. */
export function auditRoutes(app: App, { db }: Context): void {
  routesOf(app, auditCalls, 'Users')(
    'GET /api/v1/admin/audit',
    { ...guard('Admin', 2, 'read'), summary: 'List audit log entries, newest first', description },
    ({ query }) => readAudit(db.q, query.before),
  )
  routesOf(app, auditCalls, 'Your account')(
    'GET /api/v1/user/activity',
    {
      ...signedIn('never'),
      summary: 'List your recent activity and attempts to sign in, newest first',
      description,
    },
    (request) => readActivity(db.q, callerOf(request).user.id, request.query.before),
  )
}
