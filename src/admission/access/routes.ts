import type { Change } from '../../people/audit/contract.ts'
import { lockUser, type UserRow } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import { forEachId } from '../../platform/for-each-id.ts'
import { type Actor, actingUserOf, actingUserWithRecheck } from '../../platform/http/access/actor.ts'
import { callerOf, guard, open, requireRecentProof, signedIn } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import { compressResponse } from '../../platform/http/page/compress-answer.ts'
import { accessChanged, type LiveEvent } from '../../platform/live/events.ts'
import { HttpError } from '../../shared/http-error.ts'
import { defaultPageSize } from '../../shared/schemas/list-query.ts'
import { Active } from '../../shared/user.ts'
import { askForAccess } from './ask.ts'
import { accessCalls, type Decision } from './contract.ts'
import { editUser } from './edit-user.ts'
import {
  requestOf,
  toOwnRequest,
  waitingChanged,
  waitingNote,
  waitingPage,
  waitingStateOf,
  waitingUsers,
} from './store.ts'

export function accessRoutes(
  app: App,
  context: Pick<Context, 'config' | 'db' | 'now' | 'events' | 'notify' | 'log'>,
): void {
  const { db, now, events } = context
  const ownRoute = routesOf(app, accessCalls, 'Your account')
  const signInRoute = routesOf(app, accessCalls, 'Sign-in')
  const usersRoute = routesOf(app, accessCalls, 'Users')

  ownRoute(
    'GET /api/v1/user/access-request',
    { ...signedIn('read'), summary: 'Get your latest request for access' },
    async (request) => toOwnRequest(await requestOf(db.q, callerOf(request).user.id), now()),
  )

  ownRoute(
    'POST /api/v1/user/access-request',
    {
      ...signedIn('never'),
      summary: 'Ask the admins for access to the tools, once a day',
      failures: [409, 429],
    },
    async (request) => ({ at: await askForAccess(context, actingUserOf(request), request.body?.message ?? null) }),
  )

  signInRoute(
    'GET /api/v1/auth/access',
    {
      ...open('never'),
      summary: 'Check whether the sign-up of this browser was approved',
      description: 'The browser that signed up has a signed cookie; without one, the state is `none`.',
    },
    async (request, reply) => {
      const state = await waitingStateOf(context, request)
      if (state === 'none') waitingNote.forget(context, { request, reply })
      return { state }
    },
  )

  usersRoute(
    'GET /api/v1/admin/access-requests',
    {
      ...guard('Admin', 2, 'read'),
      onSend: compressResponse,
      summary: 'List users waiting for access, newest first, or a page of them',
      description: [
        'Lists users who asked for access and sign-ups that need approval. With `page` or `size`, the response is one',
        'page and the total number of waiting users.',
      ].join(' '),
    },
    ({ query: { page, size } }) =>
      page === undefined && size === undefined
        ? waitingUsers(db.q)
        : waitingPage(db.q, { page: page ?? 1, size: size ?? defaultPageSize }),
  )

  usersRoute(
    'POST /api/v1/admin/access-requests/decide',
    {
      ...guard('Admin', 2, 'never'),
      summary: 'Approve or decline requests for access',
      description: [
        '`approve` activates the users and keeps their roles, `tools` also grants Full Access to the tools (needs a',
        'recent proof), `decline` closes the request and changes nothing else.',
      ].join(' '),
      failures: [403],
    },
    async (request) => {
      const { ids, decision } = request.body
      if (decision === 'tools') requireRecentProof(request)
      const { actor, recheckAccess } = actingUserWithRecheck(request)
      const { done, refused } = await forEachId(context, recheckAccess, ids, async (id) => {
        events.publish(await transact(db, (tx) => decide(context, tx, { actor, id, decision })))
        return undefined
      })
      events.publish([waitingChanged])
      return { done, refused }
    },
  )
}

type Deciding = { actor: Actor; id: string; decision: Decision }

async function decide(
  context: Pick<Context, 'db' | 'now' | 'notify'>,
  tx: Queries,
  { actor, id, decision }: Deciding,
): Promise<readonly LiveEvent[]> {
  const { db, now, notify } = context
  // A concurrent decision waits for this lock, then finds the request decided.
  const user = await lockUser(db, tx, { id })
  const request = await requestOf(tx, id)
  if (request?.decided_at !== null) throw new HttpError(409, 'This request was already decided.')
  const action = decision === 'decline' ? 'access.decline' : 'access.approve'
  const changes = await editUser(context, tx, user, { to: rightsBy(decision, user), actor, action })
  await tx.updateTable('access_request').set({ decided_at: now(), decision }).where('user_id', '=', id).execute()
  const toast = 'info'
  const message = decisionMessage(request.kind, decision, changes)
  return [accessChanged(id), ...(await notify(tx, [{ type: 'account', userId: id, message, toast }]))]
}

function rightsBy(decision: Decision, { roles }: UserRow): Partial<UserRow> {
  if (decision === 'decline') return {}
  return { status: Active, ...(decision === 'tools' && roles.Tools === 0 && { roles: { ...roles, Tools: 1 } }) }
}

/** The notification that the user reads once signed in. */
function decisionMessage(kind: 'request' | 'sign-up', decision: Decision, changes: readonly Change[]): string {
  if (decision === 'decline') return 'Your request for access was declined. You can ask again after a day.'
  if (changes.some(({ field }) => field === 'roles.Tools'))
    return 'Your request was approved. You can use the tools now.'
  return kind === 'sign-up' ? 'Your account was approved.' : 'Your request for access was approved.'
}
