import * as z from 'zod/mini'
import { actorOf } from '../../platform/http/access/actor.ts'
import { callerOf, guard, insistOnProof, insistOnSession, recentProof } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { conflict, conflictOf } from '../../platform/http/conflict.ts'
import { sendArray } from '../../platform/http/json-array.ts'
import { listQuery, listQueryOf } from '../../platform/http/list-query.ts'
import { compressed } from '../../platform/http/page/compress-answer.ts'
import type { Change } from '../audit/contract.ts'
import {
  CreateUserBody,
  EmailQuery,
  EndedSessions,
  Exists,
  ListedUser,
  PasswordForBody,
  PatchUserBody,
  User,
  UserId,
  UsernameQuery,
  UserQuery,
} from './contract.ts'
import { addUser, changeUser, deleteUser, type EditContext, endSessionsOf, setPasswordOf } from './edit.ts'
import { allUsers, pageOfUsers, userListKeys } from './list.ts'
import { isTaken, userInFull } from './store.ts'

const tags = ['Users']
const mayRead = guard('Admin', 1)
const mayEdit = guard('Admin', 2)
const noUser = 'User not found.'
const inUse = 'This email is already in use.'
const lastAdmin = 'This is the last active admin. Appoint another admin first.'
const noUsername = 'This user has no username to sign in with. Save one first.'
const proveIt = "Confirm that it's you to continue."
/** The only fields of a user that an API key may change. */
const forKeys = ['name', 'tags']

/** A raised role, and whatever changes who somebody is or how they sign in. */
const needsProof = ({ field, from, to }: Change) =>
  field.startsWith('roles.') ? Number(to) > Number(from) : ['email', 'credUsername', 'providers'].includes(field)

/** The calls by which admins manage users: level 1 reads, level 2 edits. */
export function adminRoutes(app: App, context: EditContext): void {
  const { q } = context.db

  app.get(
    '/api/v1/admin/users',
    {
      ...mayRead,
      onSend: compressed,
      schema: {
        tags,
        summary: 'List users, newest first, or a page of them',
        description: [
          'Without a query, the answer is the array of all users. With any of it, it is one page and the number of users',
          'who match all filters. Filters ignore case: id, name and email contain the letters in their order, status is',
          'Active, Inactive or Blocked, roles are contained in text like “Admin 2, Tools 1”, and lastUsageTimestamp is a',
          'day, month or year as shown (22/11/2026, 11/2026, 2026) in `zone`, by default UTC.',
        ].join(' '),
        querystring: listQueryOf(userListKeys),
        response: { 200: z.union([z.array(ListedUser), z.object({ rows: z.array(ListedUser), total: z.int() })]) },
      },
    },
    async (request, reply) => {
      const asked = listQuery(request.query)
      return asked ? pageOfUsers(context.db, asked) : sendArray(reply, allUsers(q))
    },
  )

  app.get(
    '/api/v1/admin/user',
    {
      ...mayRead,
      schema: {
        tags,
        summary: 'Get a user',
        failures: { 404: noUser },
        querystring: UserQuery,
        response: { 200: User },
      },
    },
    ({ query }) => userInFull(q, query),
  )

  app.get(
    '/api/v1/admin/user/emailexistcheck',
    {
      ...mayRead,
      schema: { tags, summary: 'Check whether an email is in use', querystring: EmailQuery, response: { 200: Exists } },
    },
    async ({ query: { email, id } }) => ({ exists: await isTaken(q, 'email', email, id) }),
  )

  app.get(
    '/api/v1/admin/user/usernameexistcheck',
    {
      ...mayRead,
      schema: {
        tags,
        summary: 'Check whether a username is in use',
        querystring: UsernameQuery,
        response: { 200: Exists },
      },
    },
    async ({ query: { username, id } }) => ({ exists: await isTaken(q, 'cred_username', username, id) }),
  )

  app.post(
    '/api/v1/admin/user',
    {
      ...mayEdit,
      schema: {
        tags,
        summary: 'Create a user',
        failures: { 403: proveIt, 409: inUse },
        body: CreateUserBody,
        response: { 201: User },
      },
    },
    async (request, reply) => {
      const { Admin = 0, Tools = 0 } = request.body.roles ?? {}
      // With a password, whoever has a stolen session would have an account to stay.
      if (Admin + Tools > 0 || request.body.password !== undefined) insistOnProof(request)
      const id = await addUser(context, actorOf(request), request.body)
      return reply.code(201).send(await userInFull(q, { id }))
    },
  )

  app.patch(
    '/api/v1/admin/user',
    {
      ...mayEdit,
      schema: {
        tags,
        summary: 'Update a user',
        failures: { 403: proveIt, 404: noUser, 409: [inUse, lastAdmin, 'Ada changed this user in the meantime.'] },
        body: PatchUserBody,
        response: { 200: User, 409: conflictOf(User) },
      },
    },
    async (request, reply) => {
      const isSaved = await changeUser(context, actorOf(request), request.body, (changes) => {
        if (changes.some(({ field }) => !forKeys.includes(field))) insistOnSession(request)
        if (changes.some(needsProof)) insistOnProof(request)
      })
      const user = await userInFull(q, { id: request.body.id })
      return isSaved ? user : reply.code(409).send(conflict('user', user))
    },
  )

  app.patch(
    '/api/v1/admin/user/password',
    {
      ...recentProof(mayEdit),
      schema: {
        tags,
        summary: "Set a user's password",
        failures: { 404: noUser, 409: noUsername },
        body: PasswordForBody,
        response: { 200: UserId },
      },
    },
    async (request) => {
      const { via } = callerOf(request)
      const sessionId = via.kind === 'session' ? via.sessionId : undefined
      await setPasswordOf(context, { actor: actorOf(request), sessionId }, request.body)
      return { id: request.body.id }
    },
  )

  app.delete(
    '/api/v1/admin/user/sessions',
    {
      ...mayEdit,
      schema: {
        tags,
        summary: 'Sign a user out everywhere',
        failures: { 404: noUser },
        description: 'Ends all sessions of the user but the one that makes the call. API keys stay.',
        querystring: UserId,
        response: { 200: EndedSessions },
      },
    },
    async (request) => {
      const { via } = callerOf(request)
      const sessionId = via.kind === 'session' ? via.sessionId : undefined
      return { ended: await endSessionsOf(context, { actor: actorOf(request), sessionId }, request.query.id) }
    },
  )

  app.delete(
    '/api/v1/admin/user',
    {
      ...recentProof(mayEdit),
      schema: {
        tags,
        summary: 'Delete a user and their entries',
        failures: { 404: noUser, 409: lastAdmin },
        querystring: UserQuery,
        response: { 200: UserId },
      },
    },
    async (request) => ({ id: await deleteUser(context, actorOf(request), request.query.email) }),
  )
}
