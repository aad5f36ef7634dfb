import { sessionUser } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import { actorOf } from '../../platform/http/access/actor.ts'
import { callerOf, insistOnProof, signedIn } from '../../platform/http/access/guard.ts'
import type { App } from '../../platform/http/app.ts'
import { rateLimiter } from '../../platform/net/visits/visit-limits.ts'
import { SessionUser } from '../../shared/schemas/user-shapes.ts'
import { hours } from '../../shared/time.ts'
import {
  alreadyConfirmed,
  alreadyMailed,
  askToConfirm,
  confirmEmail,
  linkIsOver,
  linkOfOther,
  noEmail,
  noMail,
  ownEmail,
} from './confirm.ts'
import { ConfirmBody, Confirmed, OwnDetailsBody, OwnEmail } from './contract.ts'
import { changeOwnDetails, type DetailsContext } from './edit.ts'

const tags = ['Your account']
const tooManyEmails = 'Too many new emails. Try again in 3600 seconds.'

/** The calls by which users change their own name and email, and confirm the latter. */
export function ownDetailsRoutes(app: App, context: DetailsContext & Pick<Context, 'elapsed'>): void {
  const { q } = context.db
  // Whoever is told that an email is taken could ask for many.
  const takeEmail = rateLimiter(context.elapsed, { most: 10, per: hours(1), refusal: 'Too many new emails.' })

  app.patch(
    '/api/v1/user',
    {
      ...signedIn('never'),
      schema: {
        tags,
        summary: 'Change your name or email',
        description: [
          'A new email counts at once, and is unverified until you confirm it. If this server sends mail, a link that',
          'confirms it is sent to it, and the old one, if it was confirmed, is told. A new email needs a recent proof.',
        ].join(' '),
        failures: {
          403: "Confirm that it's you to continue.",
          409: 'This email is already in use.',
          429: tooManyEmails,
        },
        body: OwnDetailsBody,
        response: { 200: SessionUser },
      },
    },
    async (request) => {
      const userId = callerOf(request).user.id
      await changeOwnDetails(context, { actor: actorOf(request), userId }, request.body, () => {
        insistOnProof(request)
        takeEmail(userId)
      })
      return sessionUser(q, userId)
    },
  )

  app.get(
    '/api/v1/user/email',
    {
      ...signedIn('never'),
      schema: { tags, summary: 'Check whether your email is confirmed', response: { 200: OwnEmail } },
    },
    (request) => ownEmail(q, callerOf(request).user.id),
  )

  app.post(
    '/api/v1/user/email/link',
    {
      ...signedIn('never'),
      schema: {
        tags,
        summary: 'Have a link mailed that confirms your email',
        description: 'One an hour, which works once, for 30 minutes.',
        failures: {
          409: [alreadyConfirmed, noEmail, noMail],
          429: `${alreadyMailed} You can send another in 12 minutes.`,
        },
        response: { 202: OwnEmail },
      },
    },
    async (request, reply) => {
      const userId = callerOf(request).user.id
      await askToConfirm(context, userId)
      return reply.code(202).send(await ownEmail(q, userId))
    },
  )

  app.post(
    '/api/v1/user/email/confirm',
    {
      ...signedIn('never'),
      schema: {
        tags,
        summary: 'Confirm your email by the token that was mailed to it',
        failures: { 403: [linkIsOver, linkOfOther] },
        body: ConfirmBody,
        response: { 200: Confirmed },
      },
    },
    async (request) => {
      const by = { actor: actorOf(request), userId: callerOf(request).user.id }
      return { email: await confirmEmail(context, by, request.body.token) }
    },
  )
}
