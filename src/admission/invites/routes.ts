import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { commandLine, creation, writeAudit } from '../../people/audit/log.ts'
import { createUser, lockUser, lockUserIfAny } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import { actorOf, type Origin, originOf } from '../../platform/http/access/actor.ts'
import { callerOf, guard, open, requireRecentProof } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { routesOf } from '../../platform/http/calls.ts'
import type { LiveEvent } from '../../platform/live/events.ts'
import { networksOf } from '../../platform/net/networks.ts'
import { rateLimiter } from '../../platform/net/visit-limits.ts'
import { HttpError } from '../../shared/http-error.ts'
import { hours } from '../../shared/time.ts'
import { runInTurn } from '../../sign-in/limits/password-turns.ts'
import {
  acquireAll,
  type Count,
  countAttempt,
  hashedKey,
  networkCounts,
  releaseAll,
  requireRoomIn,
} from '../../sign-in/limits/stored-rate-limit.ts'
import { hashNewPassword } from '../../sign-in/passwords/password-rules.ts'
import { replaceUnverifiedEmail } from '../access/edit-user.ts'
import { acceptInvite, type InviteContext, inviteNote, redeemInvite } from './accept.ts'
import { inviteCalls, type JoinBody, type UseInviteBody } from './contract.ts'
import { endInvite, type MakingContext, makeInvite } from './make.ts'
import {
  inviteById,
  inviteByToken,
  inviteRefused,
  listInvites,
  requireOpen,
  retryIfInviteEnded,
  type StoredInvite,
} from './store.ts'

type RouteContext = MakingContext & InviteContext & Pick<Context, 'elapsed' | 'events'>

export function inviteRoutes(app: App, context: RouteContext): void {
  const { config, db, now, elapsed } = context
  const takeMail = rateLimiter(elapsed, { most: 60, per: hours(1), refusal: 'Too many invitations by email.' })
  // Counts wrong tokens and taken names, since they reveal something: by address, and by each wider network around it.
  const failuresOf = networkCounts(context, {
    most: [20, 60, 100],
    refusal: 'Too many failed attempts from your network.',
    keyOf: (network) => hashedKey('invite', network),
  })

  const route = routesOf(app, inviteCalls, 'Users')
  route(
    'GET /api/v1/admin/invites',
    { ...guard('Admin', 2, 'never'), summary: 'List invitations, newest first' },
    async () =>
      (await listInvites(db.q, now())).flatMap(({ state, ...invite }) =>
        state === 'revoked' ? [] : [{ ...invite, state }],
      ),
  )

  route(
    'POST /api/v1/admin/invites',
    {
      ...guard('Admin', 2, 'never'),
      summary: 'Create an invitation',
      failures: [403, 409, 429],
      description: [
        'The response has the only copy of the link. With an `email`, it is mailed there if the server sends mail, and',
        'works only for that email, once verified or entered by a new user with a password. Needs a recent proof,',
        'unless sign-up is open and neither sign-up nor the invitation gives roles.',
      ].join(' '),
    },
    async (request) => {
      const { Admin = 0, Tools = 0 } = request.body.roles
      // Without a proof, a stolen session could admit users whom sign-up would not, or with the roles that it gives.
      if (config.signUp !== 'open' || config.signUpTools > 0 || Admin + Tools > 0) requireRecentProof(request)
      if (request.body.email && config.smtpUrl !== undefined) takeMail(callerOf(request).user.id)
      return makeInvite(context, actorOf(request), request.body)
    },
  )

  route(
    'DELETE /api/v1/admin/invites',
    {
      ...guard('Admin', 2, 'never'),
      summary: 'Revoke an invitation',
      failures: [404],
      description: 'Users who have used it keep their accounts and roles.',
    },
    async (request) => {
      await endInvite(context, actorOf(request), request.query.id)
      return { id: request.query.id }
    },
  )

  /** Returns the invitation of this token. Throws a 403 if there is none, a 429 if the network has tried too many. */
  async function findInvite(token: string, ip: string): Promise<StoredInvite> {
    await requireRoomIn(failuresOf(ip))
    const invite = await inviteByToken(db.q, token, now())
    if (invite) return invite
    await acquireAll(failuresOf(ip))
    throw inviteRefused('unknown')
  }

  const invitedRoute = routesOf(app, inviteCalls, 'Sign-in')
  invitedRoute(
    'POST /api/v1/auth/invitation',
    {
      ...open('never'),
      summary: 'Read an invitation',
      failures: [403, 429],
      description: 'Returns who invites, and the roles and tags it grants. Does not use up the invitation.',
    },
    async ({ body, ip }) => {
      const { createdBy, roles, tags, expiresAt } = requireOpen(await findInvite(body.token, ip))
      return { by: createdBy === commandLine.name ? null : createdBy, roles, tags, expiresAt }
    },
  )

  invitedRoute(
    'POST /api/v1/auth/invite',
    {
      ...open('never'),
      summary: 'Use an invitation',
      failures: [403, 409, 429],
      description: [
        'With the token alone, a signed-in user accepts the invitation immediately; otherwise the next sign-in in this',
        'browser within an hour does. With all other fields, creates a user with a password, who can then sign in.',
      ].join(' '),
      answers: { 204: z.null() },
    },
    async (request, reply) => {
      const { body, ip, caller } = request
      const invite = await findInvite(body.token, ip)
      const origin = originOf(request)
      if (isJoin(body)) {
        const joined = await joinByInvite(context, requireOpen(invite), body, origin, failuresOf(ip))
        inviteNote.forget(context, { request, reply })
        return joined
      }
      if (caller) {
        const refused = await acceptInvite(context, invite.id, caller.user.id, { origin, toast: false })
        if (refused) throw inviteRefused(refused)
      } else {
        inviteNote.write(context, reply, requireOpen(invite).id)
      }
      return reply.code(204).send(null)
    },
  )
}

/** Checking one field is enough: the schema requires all of them or none. */
const isJoin = (body: UseInviteBody): body is JoinBody => body.password !== undefined

/** Throws a 403 if the invitation has ended or is for another email. `failures` limits the 409s for taken fields. */
async function joinByInvite(
  context: InviteContext & Pick<Context, 'events'>,
  invite: StoredInvite,
  { name, email, username, password }: JoinBody,
  origin: Origin,
  failures: readonly Count[],
): Promise<{ id: string; email: string; username: string }> {
  const { db, now } = context
  // An invitation for an email admits only that email.
  if (invite.email !== null && invite.email !== email) throw inviteRefused('other')
  // An invited visitor is not a user yet, and must not delay users who change their passwords.
  const turn = { owner: networksOf(origin.address ?? '').at(-1) ?? '', isKnown: false }
  const hash = await runInTurn(turn, () => hashNewPassword(password, { name, email, username }))
  const id = randomUUID()
  const actor = { id, name: email, ...origin }
  const attempt = async (tx: Queries): Promise<LiveEvent[]> => {
    const holder = await lockUserIfAny(db, tx, { email })
    const loser = holder && !holder.emailVerified && invite.email !== null ? holder : undefined
    const lost = loser ? await replaceUnverifiedEmail(context, tx, loser, actor) : []
    const current = requireOpen(await inviteById(tx, invite.id, now()))
    const credentials = { username, hash }
    const user = { id, name, email, emailVerified: false, credentials, roles: { Admin: 0, Tools: 0 } } as const
    await createUser(db, tx, user, now())
    await writeAudit(tx, now(), creation(actor, id, user))
    const how = { origin, toast: true, joinsWith: 'a password' }
    return [...lost, ...(await redeemInvite(context, tx, current, await lockUser(db, tx, { id }), how))]
  }
  const join = () => retryIfInviteEnded(() => transact(db, attempt))
  // A 409 reveals that an email or a username is taken.
  const isTaken = (error: unknown) => error instanceof HttpError && error.status === 409
  const events = await countAttempt(failures, join, isTaken)
  await releaseAll(failures)
  context.events.publish(events)
  return { id, email, username }
}
