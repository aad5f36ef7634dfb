import type { Context } from '../../platform/context.ts'
import { PageQuery, usualSize } from '../../platform/db/list/list-query.ts'
import { actingIn, byOf } from '../../platform/http/access/actor.ts'
import { callerOf, guard, insistOnProof, open, signedIn } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { compressed } from '../../platform/http/page/compress-answer.ts'
import { askedToday, askForAccess, mayAlready } from './ask.ts'
import { AccessRequests, AskAnswer, AskBody, DecideAnswer, DecideBody, OwnRequest, WaitingState } from './contract.ts'
import { type DecideContext, decideRequests } from './decide.ts'
import { ownRequest, requestOf, waitingPage, waitingUsers } from './store.ts'
import { waitingIn, waitingNote } from './waiting.ts'

const ownPath = '/api/v1/user/access-request'
const path = '/api/v1/admin/access-requests'

/** The calls by which users ask for access, and admins decide who gets it. */
export function accessRoutes(app: App, context: DecideContext & Pick<Context, 'config'>): void {
  const { db, now } = context

  app.get(
    ownPath,
    {
      ...signedIn('read'),
      schema: { tags: ['Your account'], summary: 'Get your latest request for access', response: { 200: OwnRequest } },
    },
    async (request) => ownRequest(await requestOf(db.q, callerOf(request).user.id), now()),
  )

  app.post(
    ownPath,
    {
      ...signedIn('never'),
      schema: {
        tags: ['Your account'],
        summary: 'Ask the admins for access to the tools, once a day',
        failures: { 409: mayAlready, 429: askedToday },
        body: AskBody,
        response: { 202: AskAnswer },
      },
    },
    async (request, reply) => {
      const at = await askForAccess(context, byOf(request), request.body.message ?? null)
      return reply.code(202).send({ at })
    },
  )

  app.get(
    '/api/v1/auth/access',
    {
      ...open('never'),
      schema: {
        tags: ['Sign-in'],
        summary: 'Check whether the sign-up of this browser was approved',
        description: 'The browser that signed up has a signed cookie; without one, the state is `none`.',
        response: { 200: WaitingState },
      },
    },
    async (request, reply) => {
      const state = await waitingIn(context, request)
      if (state === 'none') waitingNote.forget(context, { request, reply })
      return { state }
    },
  )

  app.get(
    path,
    {
      ...guard('Admin', 2, 'read'),
      onSend: compressed,
      schema: {
        tags: ['Users'],
        summary: 'List who waits for access, newest first, or a page of them',
        description: [
          'Users who asked, and those who signed up while that needs approval. With `page` or `size`, the answer is one',
          'page and the number of all who wait.',
        ].join(' '),
        querystring: PageQuery,
        response: { 200: AccessRequests },
      },
    },
    ({ query: { page, size } }) =>
      page === undefined && size === undefined
        ? waitingUsers(db.q)
        : waitingPage(db.q, { page: page ?? 1, size: size ?? usualSize }),
  )

  app.post(
    `${path}/decide`,
    {
      ...guard('Admin', 2, 'never'),
      schema: {
        tags: ['Users'],
        summary: 'Approve or decline requests for access',
        description: [
          '`approve` makes the users active and leaves their roles, `tools` also gives Full Access to the tools (after a',
          'recent proof), `decline` closes the request and changes nothing else.',
        ].join(' '),
        failures: { 403: "Confirm that it's you to continue." },
        body: DecideBody,
        response: { 200: DecideAnswer },
      },
    },
    (request) => {
      if (request.body.decision === 'tools') insistOnProof(request)
      return decideRequests(context, actingIn(request), request.body)
    },
  )
}
