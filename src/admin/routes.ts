import type { FastifyRequest } from 'fastify'
import { signInChanged } from '../notices/account-changes.ts'
import { auditCalls, nextPage } from '../people/audit/contract.ts'
import { readAudit } from '../people/audit/store.ts'
import type { Context } from '../platform/context.ts'
import { actorOf } from '../platform/http/access/actor.ts'
import {
  callerOf,
  guard,
  recentProof,
  requireRecentProof,
  requireSession,
  sessionIdOf,
} from '../platform/http/access/guard.ts'
import type { App } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { conflict, conflictOf } from '../platform/http/errors.ts'
import { resetSecondFactor } from '../sign-in/second-factor/passkeys.ts'
import { bulkUserRoutes } from './bulk.ts'
import { User, userCalls } from './contract.ts'
import { addUser, changeUser, deleteUser, type EditContext, endSessionsOf, needsProof, setPasswordOf } from './edit.ts'
import { importUsersRoute } from './import.ts'
import { type UserListContext, userListRoute } from './list.ts'
import { isTaken, loadUserDetail } from './store.ts'

/** The only fields of a user that an API key may change. */
const keyEditableFields = ['name', 'tags']

/** Registers the calls by which admins manage users: level 1 reads, level 2 edits. */
export function adminRoutes(
  app: App,
  context: EditContext & UserListContext & Pick<Context, 'log' | 'importTurns'>,
): void {
  const { q } = context.db

  userListRoute(app, context)
  bulkUserRoutes(app, context)
  importUsersRoute(app, context)

  routesOf(app, auditCalls, 'Users')(
    'GET /api/v1/admin/audit',
    { ...guard('Admin', 2, 'read'), summary: 'List audit log entries, newest first', description: nextPage },
    ({ query }) => readAudit(q, query.before),
  )

  const route = routesOf(app, userCalls, 'Users')

  route(
    'GET /api/v1/admin/user',
    { ...guard('Admin', 1, 'read'), summary: 'Get a user', failures: [404] },
    async (request) => shownTo(request, await loadUserDetail(q, request.query)),
  )

  route(
    'GET /api/v1/admin/user/emailexistcheck',
    { ...guard('Admin', 1, 'read'), summary: 'Check whether an email is in use' },
    async ({ query: { email, id } }) => ({ exists: await isTaken(q, 'email', email, id) }),
  )

  route(
    'GET /api/v1/admin/user/usernameexistcheck',
    { ...guard('Admin', 1, 'read'), summary: 'Check whether a username is in use' },
    async ({ query: { username, id } }) => ({ exists: await isTaken(q, 'cred_username', username, id) }),
  )

  route(
    'POST /api/v1/admin/user',
    {
      // A stolen session could otherwise create a permanent account for itself.
      ...recentProof(guard('Admin', 2, 'never')),
      summary: 'Create a user',
      failures: [409],
    },
    async (request) => {
      const id = await addUser(context, actorOf(request), request.body)
      return loadUserDetail(q, { id })
    },
  )

  route(
    'PATCH /api/v1/admin/user',
    {
      ...guard('Admin', 2, 'partly'),
      summary: 'Update a user',
      failures: [403, 404, 409],
      answers: { 409: conflictOf(User) },
    },
    async (request, reply) => {
      const outcome = await changeUser(context, actorOf(request), request.body, (changes) => {
        if (changes.some(({ field }) => !keyEditableFields.includes(field))) requireSession(request)
        if (changes.some(needsProof)) requireRecentProof(request)
      })
      const user = shownTo(request, await loadUserDetail(q, { id: request.body.id }))
      return outcome === 'outdated' ? reply.code(409).send(conflict('user', user)) : user
    },
  )

  route(
    'PATCH /api/v1/admin/user/password',
    {
      ...recentProof(guard('Admin', 2, 'never')),
      summary: "Set a user's password",
      failures: [404, 409],
    },
    async (request) => {
      await setPasswordOf(context, bySession(request), request.body)
      return { id: request.body.id }
    },
  )

  route(
    'DELETE /api/v1/admin/user/sessions',
    {
      ...guard('Admin', 2, 'never'),
      summary: 'Sign a user out everywhere',
      failures: [404],
      description: "Ends all of the user's sessions except the one that makes the call. API keys stay valid.",
    },
    async (request) => ({ ended: await endSessionsOf(context, bySession(request), request.query.id) }),
  )

  route(
    'DELETE /api/v1/admin/user',
    {
      ...recentProof(guard('Admin', 2, 'never')),
      summary: 'Delete a user and their entries',
      failures: [404, 409],
      description: 'With `id`, returns 409 if the email has passed to another user.',
    },
    async (request) => {
      const { email, id } = request.query
      return { id: await deleteUser(context, actorOf(request), { email }, id) }
    },
  )

  route(
    'DELETE /api/v1/admin/user/second-factor',
    {
      ...recentProof(guard('Admin', 2, 'never')),
      summary: "Reset a user's two-step sign-in and passkeys, and end their sessions",
      failures: [404, 409],
    },
    async (request) => {
      const { id } = request.query
      await resetSecondFactor(context, context.offered, actorOf(request), id)
      context.events.publish(signInChanged(id))
      return { id }
    },
  )
}

const bySession = (request: FastifyRequest) => ({ actor: actorOf(request), sessionId: sessionIdOf(callerOf(request)) })

/** Hides a user's API keys from callers that use an API key. */
const shownTo = (request: FastifyRequest, user: User): User =>
  callerOf(request).via.kind === 'key' ? { ...user, apiKeys: undefined } : user
