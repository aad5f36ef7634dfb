import type { Change } from '../people/audit/contract.ts'
import { parseRoles } from '../people/store.ts'
import type { Context } from '../platform/context.ts'
import type { Db } from '../platform/db/open.ts'
import { countRows } from '../platform/db/rows/read.ts'
import { forEachId } from '../platform/for-each-id.ts'
import { type ActingUserWithRecheck, actingUserWithRecheck } from '../platform/http/access/actor.ts'
import { guard, recentProof, requireRecentProof, requireSession } from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { HttpError } from '../shared/http-error.ts'
import { Active, roleNames } from '../shared/user.ts'
import {
  bulkUserCalls,
  type ChangeUsersAnswer,
  type ChangeUsersBody,
  type DeleteUsersAnswer,
  type UsersTogether,
} from './contract.ts'
import { changeUser, deleteUser, type EditContext, needsProof } from './edit.ts'

type BulkContext = EditContext & Pick<Context, 'log'>

export const ownAccountMessage = "This is your own account. You can't lock yourself out or delete it among others."

async function changeUsers(
  context: BulkContext,
  { actor, recheckAccess }: ActingUserWithRecheck,
  { ids, ...wanted }: ChangeUsersBody,
  check: (changes: readonly Change[]) => void,
): Promise<ChangeUsersAnswer> {
  const { done, unchanged, refused } = await forEachId(context, recheckAccess, ids, async (id) => {
    if (id === actor.id && wouldLockOut(wanted)) throw new HttpError(409, ownAccountMessage)
    const outcome = await changeUser(context, actor, { id, ...wanted }, check)
    return { unchanged: outcome === 'same' }
  })
  return { changed: done, ...(unchanged.length > 0 && { unchanged }), refused }
}

/** Whether an admin who made this change to their own account could not undo it. */
export const wouldLockOut = ({ status, roles }: Pick<ChangeUsersBody, 'status' | 'roles'>) =>
  (status !== undefined && status !== Active) || (roles?.Admin !== undefined && roles.Admin < 2)

async function raisesAnyRole({ q, isOneOf }: Db, { ids, roles }: ChangeUsersBody): Promise<boolean> {
  if (!roles) return false
  const rows = await q.selectFrom('users').select('roles').where(isOneOf('id', ids)).execute()
  const isRaised = (before: ReturnType<typeof parseRoles>) =>
    roleNames.some((name) => (roles[name] ?? 0) > before[name])
  return rows.some((row) => isRaised(parseRoles(row.roles)))
}

async function deleteUsers(
  context: BulkContext,
  { actor, recheckAccess }: ActingUserWithRecheck,
  ids: readonly string[],
): Promise<DeleteUsersAnswer> {
  const { done, refused } = await forEachId(context, recheckAccess, ids, async (id) => {
    if (id === actor.id) throw new HttpError(409, ownAccountMessage)
    await deleteUser(context, actor, { id })
    return undefined
  })
  return { done, refused }
}

/** Counts what a bulk action on these users would affect, for the confirmation dialogs. */
async function summarizeUsers({ q, isOneOf }: Db, ids: readonly string[]): Promise<UsersTogether> {
  const users = await q.selectFrom('users').select(['status', 'admin_level']).where(isOneOf('id', ids)).execute()
  return {
    users: users.length,
    active: users.filter(({ status }) => status === Active).length,
    admins: users.filter(({ admin_level }) => (admin_level ?? 0) > 0).length,
    entries: await countRows(q.selectFrom('entry').where(isOneOf('owner_id', ids))),
    sessions: await countRows(q.selectFrom('sessions').where(isOneOf('user_id', ids))),
  }
}

export function bulkUserRoutes(app: App, context: EditContext & Pick<Context, 'log'>): void {
  const route = routesOf(app, bulkUserCalls, 'Users')
  route(
    'PATCH /api/v1/admin/users',
    {
      ...guard('Admin', 2, 'partly'),
      summary: 'Change the status, roles or tags of up to 1,000 users',
      failures: [403],
      description: [
        'Applies the rules of the single-user call to each user; duplicate IDs count once. Lists a refused user with',
        'the reason and does not stop the others. Roles that are left out stay unchanged. You cannot lock yourself',
        'out with this call.',
      ].join(' '),
    },
    async (request) => {
      const { body } = request
      if (body.status !== undefined || body.roles !== undefined) requireSession(request)
      if (await raisesAnyRole(context.db, body)) requireRecentProof(request)
      // A role lowered in the meantime would turn this change into a raise.
      return changeUsers(context, actingUserWithRecheck(request), body, (changes) => {
        if (changes.some(needsProof)) requireRecentProof(request)
      })
    },
  )

  route(
    'POST /api/v1/admin/users/bulk',
    {
      ...recentProof(guard('Admin', 2, 'never')),
      summary: 'Delete up to 1,000 users and their entries',
      description: 'A refused user is listed with the reason and does not stop the others.',
    },
    (request) => deleteUsers(context, actingUserWithRecheck(request), request.body.ids),
  )

  route(
    'POST /api/v1/admin/users/together',
    {
      ...guard('Admin', 2, 'read'),
      summary: 'Summarize up to 1,000 users',
      description: 'Counts what blocking or deleting these users would pause, end or delete.',
    },
    (request) => summarizeUsers(context.db, request.body.ids),
  )
}
