import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { keyFor } from '../../platform/crypto/secrets.ts'
import { type SignedCookie, signedCookie } from '../../platform/crypto/signed-cookie.ts'
import { originOf } from '../../platform/http/access/actor.ts'
import { cookiePrefix } from '../../platform/http/access/origin.ts'
import { hours, type Milliseconds, seconds } from '../../shared/time.ts'
import { acceptInvite, type InviteContext } from './accept.ts'
import { inviteRefusals } from './refusal.ts'

/** How long after opening an invitation a browser may sign in with it. */
const life: Milliseconds = hours(1)

type PendingContext = Pick<Context, 'config' | 'now'>
type Exchange = { request: FastifyRequest; reply: FastifyReply }

const keyOf = (appSecret: string) => keyFor(appSecret, 'opened invitations').toString('hex')
const cookieOf = ({ config }: PendingContext): SignedCookie => {
  const { appSecret, previousAppSecret: previous } = config
  return signedCookie(`${cookiePrefix(config.baseUrl)}.invite`, keyOf(appSecret), previous && keyOf(previous))
}

/** Remembers in this browser which invitation its next sign-in uses: signed, and without the token. */
export function rememberInvite(context: PendingContext, reply: FastifyReply, id: string): void {
  const cookie = cookieOf(context)
  reply.setCookie(cookie.name, cookie.sign(`${id}.${context.now() + life}`), {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: context.config.baseUrl.startsWith('https:'),
    maxAge: life / seconds(1),
  })
}

/** The id of the invitation that was opened in this browser. */
export function pendingInvite(context: PendingContext, request: FastifyRequest): string | undefined {
  const cookie = cookieOf(context)
  const [id, end] = cookie.open(request.cookies[cookie.name])?.split('.') ?? []
  return Number(end) > context.now() ? id : undefined
}

export function forgetInvite(context: PendingContext, { request, reply }: Exchange): void {
  const { name } = cookieOf(context)
  const secure = context.config.baseUrl.startsWith('https:')
  if (request.cookies[name] !== undefined) reply.setCookie(name, '', { path: '/', secure, maxAge: 0 })
}

/** Gives a user who has just signed in what the invitation of this browser has, or tells why not. It never stops the sign-in. */
export async function acceptPendingInvite(
  context: PendingContext & InviteContext & Pick<Context, 'events' | 'log'>,
  exchange: Exchange,
  userId: string,
): Promise<void> {
  const id = pendingInvite(context, exchange.request)
  if (id === undefined) return
  try {
    const origin = originOf(exchange.request)
    const refused = await acceptInvite(context, id, userId, { origin, toast: true })
    if (refused) {
      const message = inviteRefusals[refused]
      context.events.publish(
        await context.notify(context.db.q, [{ type: 'account', userId, message, toast: 'warning' }]),
      )
    }
    forgetInvite(context, exchange)
  } catch (error) {
    // The browser keeps it for the next sign-in.
    context.log.error({ err: error }, 'an invitation could not be used')
  }
}
