import { forgottenJob } from '../../../notices/mail/jobs.ts'
import type { Context } from '../../../platform/context.ts'
import { originOf } from '../../../platform/http/access/actor.ts'
import { open } from '../../../platform/http/access/guard.ts'
import type { App } from '../../../platform/http/app.ts'
import { HttpError } from '../../../shared/http-error.ts'
import type { Auth, AuthContext } from '../../auth.ts'
import { ForgottenAnswer, ForgottenBody, ResetAnswer, ResetBody } from './contract.ts'
import { forgottenLimit, tooManyForgotten } from './limit.ts'
import { linkIsOver, resetByLink } from './reset.ts'

const tags = ['Sign-in']
const noMail = "This server doesn't send email. Ask an admin to set a new password for you."

/** The calls for users who have forgotten their password. */
export function forgottenRoutes(app: App, context: AuthContext & Pick<Context, 'jobs'>, { guesses }: Auth): void {
  const { config, jobs, now } = context
  const takeRequest = forgottenLimit(context)

  app.post(
    '/api/v1/auth/forgotten',
    {
      ...open(),
      schema: {
        tags,
        summary: 'Have a link mailed that resets a forgotten password',
        description: [
          'The answer, and the time it takes, are the same for every email. A link is mailed if the email belongs to an',
          'active user who has confirmed it and signs in with a password: one an hour, which works once, for 30 minutes.',
        ].join(' '),
        failures: { 409: noMail, 429: tooManyForgotten },
        body: ForgottenBody,
        response: { 202: ForgottenAnswer },
      },
    },
    async (request, reply) => {
      if (config.smtpUrl === undefined) throw new HttpError(409, noMail)
      await takeRequest(request.ip)
      // The user is looked for by a job, so that nobody can measure whether there is one.
      const { email } = request.body
      await jobs.add(forgottenJob(email, now()))
      jobs.wake()
      return reply.code(202).send({ email })
    },
  )

  app.post(
    '/api/v1/auth/reset',
    {
      ...open(),
      schema: {
        tags,
        summary: 'Choose a new password by a mailed link',
        description: 'Ends all sessions of the user. A second factor stays as it is.',
        failures: { 403: linkIsOver },
        body: ResetBody,
        response: { 200: ResetAnswer },
      },
    },
    async (request) => ({ username: await resetByLink(context, guesses.signIn, request.body, originOf(request)) }),
  )
}
