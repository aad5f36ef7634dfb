import * as z from 'zod/mini'
import type { Context } from '../../platform/context.ts'
import { actorOf, originOf } from '../../platform/http/access/actor.ts'
import { callerOf, guard, insistOnProof, open } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { rateLimiter } from '../../platform/net/visits/visit-limits.ts'
import { hours } from '../../shared/time.ts'
import { acceptInvite, type InviteContext } from './accept.ts'
import {
  Invite,
  InviteId,
  InviteTaken,
  type JoinBody,
  Joined,
  MadeInvite,
  NewInviteBody,
  UseInviteBody,
} from './contract.ts'
import { join } from './join.ts'
import { endInvite, type MakingContext, makeInvite } from './make.ts'
import { inviteNote } from './pending.ts'
import { inviteRefusals, inviteRefused, whyEnded } from './refusal.ts'
import { inviteByToken, listInvites } from './store.ts'
import { wrongTokens } from './wrong-tokens.ts'

type RouteContext = MakingContext & InviteContext & Pick<Context, 'elapsed' | 'events'>

const path = '/api/v1/admin/invites'
const tags = ['Users']

/** The calls by which admins invite, and by which whoever is invited joins. */
export function inviteRoutes(app: App, context: RouteContext): void {
  const { config, db, now, elapsed } = context
  const mails = rateLimiter(elapsed, { most: 60, per: hours(1), refusal: 'Too many invitations by email.' })
  const wrong = wrongTokens(context)

  app.get(
    path,
    {
      ...guard('Admin', 2, 'never'),
      schema: { tags, summary: 'List invitations, newest first', response: { 200: z.array(Invite) } },
    },
    async () =>
      (await listInvites(db.q, now())).flatMap(({ state, ...invite }) =>
        state === 'revoked' ? [] : [{ ...invite, state }],
      ),
  )

  app.post(
    path,
    {
      ...guard('Admin', 2, 'never'),
      schema: {
        tags,
        summary: 'Create an invitation',
        failures: {
          403: "Confirm that it's you to continue.",
          409: 'There are 1000 open invitations already. Revoke some first.',
          429: 'Too many invitations by email. Try again in 60 seconds.',
        },
        description: [
          'The answer has the only copy of the link. One for an `email` is mailed there if this server sends mail, and only',
          'that address may use it: a verified one, or one that a new user with a password enters. It needs a recent proof,',
          'unless anybody can sign up and the invitation gives no more.',
        ].join(' '),
        body: NewInviteBody,
        response: { 201: MadeInvite },
      },
    },
    async (request, reply) => {
      const { Admin = 0, Tools = 0 } = request.body.roles
      // Without it, a stolen session could let in whom this server would not, or with levels that it gives newcomers.
      if (config.signUp !== 'open' || config.signUpTools > 0 || Admin + Tools > 0) insistOnProof(request)
      if (request.body.email && config.smtpUrl !== undefined) mails(callerOf(request).user.id)
      return reply.code(201).send(await makeInvite(context, actorOf(request), request.body))
    },
  )

  app.delete(
    path,
    {
      ...guard('Admin', 2, 'never'),
      schema: {
        tags,
        summary: 'Revoke an invitation',
        failures: { 404: 'Invitation not found.' },
        description: 'People who have used it keep their accounts and roles.',
        querystring: InviteId,
        response: { 200: InviteId },
      },
    },
    async (request) => {
      await endInvite(context, actorOf(request), request.query.id)
      return { id: request.query.id }
    },
  )

  app.post(
    '/api/v1/auth/invite',
    {
      ...open('never'),
      schema: {
        tags: ['Sign-in'],
        summary: 'Use an invitation',
        failures: {
          403: [...new Set(Object.values(inviteRefusals))],
          409: ['This email is already in use.', 'This username is already in use.'],
          429: 'Too many failed attempts from your network. Try again in 15 minutes.',
        },
        description: [
          'With the token alone, the next sign-in in this browser within an hour uses it; somebody who is signed in uses',
          'it at once. With all other fields, it makes a user with a password, who then signs in.',
        ].join(' '),
        body: UseInviteBody,
        response: { 201: Joined, 204: InviteTaken },
      },
    },
    async (request, reply) => {
      const { body, ip, caller } = request
      await wrong.assertRoom(ip)
      const invite = await inviteByToken(db.q, body.token, now())
      if (!invite) {
        await wrong.count(ip)
        throw inviteRefused('unknown')
      }
      const origin = originOf(request)
      if (isJoin(body)) {
        const why = whyEnded(invite)
        if (why) throw inviteRefused(why)
        const joined = await join(context, invite, body, { origin, counted: (work) => wrong.countTaken(ip, work) })
        inviteNote.forget(context, { request, reply })
        return reply.code(201).send(joined)
      }
      if (caller) {
        const refused = await acceptInvite(context, invite.id, caller.user.id, { origin, toast: false })
        if (refused) throw inviteRefused(refused)
      } else {
        const why = whyEnded(invite)
        if (why) throw inviteRefused(why)
        inviteNote.write(context, reply, invite.id)
      }
      return reply.code(204).send(null)
    },
  )
}

/** The contract takes all of these fields, or none. */
const isJoin = (body: UseInviteBody): body is JoinBody => body.password !== undefined
