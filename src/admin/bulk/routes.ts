import type { Context } from '../../platform/context.ts'
import { actingIn } from '../../platform/http/access/actor.ts'
import { guard, insistOnProof, insistOnSession, recentProof } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { needsProof, proveIt } from '../apply-patch.ts'
import type { EditContext } from '../edit.ts'
import { bulkUserCalls } from './contract.ts'
import { changeUsers, deleteUsers, raisesAny, together } from './on-many.ts'

/** Work on many users at once. */
export function bulkUserRoutes(app: App, context: EditContext & Pick<Context, 'log'>): void {
  const route = routesOf(app, bulkUserCalls, 'Users')
  route(
    'PATCH /api/v1/admin/users',
    {
      ...guard('Admin', 2, 'partly'),
      summary: 'Change the status, roles or tags of up to 1,000 users',
      failures: { 403: proveIt },
      description: [
        'Each user is treated as by the call for a single one; a user who is named twice is treated once. What is refused',
        'is answered with its reason and holds up none of the others. Roles that are left out stay as they are. Nobody',
        'can lock themselves out this way.',
      ].join(' '),
    },
    async (request) => {
      const { body } = request
      if (body.status !== undefined || body.roles !== undefined) insistOnSession(request)
      if (await raisesAny(context.db, body)) insistOnProof(request)
      // Somebody may have lowered a role in the meantime.
      return changeUsers(context, actingIn(request), body, (changes) => {
        if (changes.some(needsProof)) insistOnProof(request)
      })
    },
  )

  route(
    'POST /api/v1/admin/users/bulk',
    {
      ...recentProof(guard('Admin', 2, 'never')),
      summary: 'Delete up to 1,000 users and their entries',
      description: 'What is refused is answered with its reason and holds up none of the others.',
    },
    (request) => deleteUsers(context, actingIn(request), request.body.ids),
  )

  route(
    'POST /api/v1/admin/users/together',
    {
      ...guard('Admin', 2, 'read'),
      summary: 'Count what up to 1,000 users have together',
      description: 'It says what would be paused, ended or deleted with them.',
    },
    (request) => together(context.db, request.body.ids),
  )
}
