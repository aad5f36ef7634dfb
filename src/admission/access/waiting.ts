import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { keyFor } from '../../platform/crypto/secrets.ts'
import { signedCookie } from '../../platform/crypto/signed-cookie.ts'
import { days, type Milliseconds, seconds } from '../../shared/time.ts'
import { Active, Inactive } from '../../shared/user.ts'
import { requestOf } from './store.ts'

type WaitingContext = Pick<Context, 'config' | 'db'>

/** Held by the browser of somebody who signed up and waits. Screens see that it is there; it opens nothing, and only tells whether they were approved. */
const name = 'toolbox.waiting'
const life: Milliseconds = days(90)

const keyOf = (appSecret: string) => keyFor(appSecret, 'waiting for approval').toString('hex')
const cookieOf = ({ appSecret, previousAppSecret: previous }: WaitingContext['config']) =>
  signedCookie(name, keyOf(appSecret), previous && keyOf(previous))

/** Has this browser remember who waits for approval. */
export function rememberWaiting({ config }: Pick<WaitingContext, 'config'>, reply: FastifyReply, userId: string): void {
  const secure = config.baseUrl.startsWith('https:')
  reply.setCookie(name, cookieOf(config).sign(userId), {
    path: '/',
    sameSite: 'lax',
    secure,
    maxAge: life / seconds(1),
  })
}

/** Has this browser wait for nobody any more. */
export function forgetWaiting(request: FastifyRequest, reply: FastifyReply): void {
  if (request.cookies[name] !== undefined) reply.setCookie(name, '', { path: '/', maxAge: 0 })
}

/** Whether the user whom this browser waits for is still pending, or may sign in by now. */
export async function waitingIn(
  { config, db }: WaitingContext,
  request: FastifyRequest,
): Promise<'pending' | 'approved' | 'none'> {
  const userId = cookieOf(config).open(request.cookies[name])
  if (userId === undefined) return 'none'
  const user = await db.q.selectFrom('users').select('status').where('id', '=', userId).executeTakeFirst()
  if (user?.status === Active) return 'approved'
  const row = await requestOf(db.q, userId)
  return user?.status === Inactive && row?.kind === 'sign-up' && row.decided_at === null ? 'pending' : 'none'
}
