import { createHash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { keptPassword } from '../../people/sign-in-methods.ts'
import type { Queries } from '../../platform/db/open.ts'
import { instantOf } from '../../platform/db/timestamp.ts'
import { Roles } from '../../shared/schemas/user-shapes.ts'
import { type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import type { AuthContext } from '../auth.ts'
import type { NewLink } from '../providers/provider.ts'

const life: Milliseconds = minutes(10)
const cookieName = ({ baseUrl }: { baseUrl: string }) =>
  `${baseUrl.startsWith('https:') ? '__Host-' : ''}toolbox.second_step`
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')
const Link: z.ZodMiniType<NewLink> = z.object({
  providerId: z.string(),
  accountId: z.string(),
  username: z.string(),
  roles: z.optional(Roles),
})
const Value = z.object({ userId: z.string(), password: z.nullable(z.string()), link: z.optional(Link) })

/** A sign-in that waits for its second step. */
export type Challenge = { id: string } & z.infer<typeof Value>

/** Remembers, in the browser and here, that this user has passed the first step. */
export async function beginSecondStep(
  { db, config, now }: AuthContext,
  reply: FastifyReply,
  userId: string,
  link?: NewLink,
) {
  const token = randomBytes(32).toString('base64url')
  const id = `second-step:${sha256(token)}`
  const at = db.timestamp(now())
  const value = JSON.stringify({ userId, password: await passwordMark(db.q, userId), link })
  const row = { id, identifier: id, value, expires_at: db.timestamp(now() + life), created_at: at, updated_at: at }
  await db.q.insertInto('verifications').values(row).execute()
  reply.setCookie(cookieName(config), token, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: config.baseUrl.startsWith('https:'),
    maxAge: life / seconds(1),
  })
}

/** The sign-in of this browser that waits for its second step. */
export async function pendingSignIn(
  { db, config, now }: AuthContext,
  request: FastifyRequest,
): Promise<Challenge | undefined> {
  const token = request.cookies[cookieName(config)]
  if (!token) return undefined
  const id = `second-step:${sha256(token)}`
  const row = await db.q.selectFrom('verifications').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row || instantOf(row.expires_at) <= now()) return undefined
  return { id, ...Value.parse(JSON.parse(row.value)) }
}

/** Uses up the sign-in; false if it was used before, or if the password has changed since it began. The caller has locked the user. */
export async function endSecondStep(tx: Queries, { id, userId, password }: Challenge): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('verifications').where('id', '=', id).executeTakeFirst()
  return numDeletedRows === 1n && (await passwordMark(tx, userId)) === password
}

/** Has the browser forget a sign-in that waited for its second step. */
export function forgetSecondStep(
  { config }: Pick<AuthContext, 'config'>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const name = cookieName(config)
  const secure = config.baseUrl.startsWith('https:')
  if (request.cookies[name] !== undefined) reply.setCookie(name, '', { path: '/', secure, maxAge: 0 })
}

/** Tells whether the password is still the same. */
export async function passwordMark(q: Queries, userId: string): Promise<string | null> {
  const kept = await keptPassword(q, userId)
  return kept ? sha256(kept.hash) : null
}
