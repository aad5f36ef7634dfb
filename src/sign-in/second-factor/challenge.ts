import { createHash, randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { keptPassword } from '../../people/sign-in-methods.ts'
import type { Queries } from '../../platform/db/open.ts'
import { instantOf } from '../../platform/db/storable.ts'
import { cookieNote } from '../../platform/http/access/cookie-note.ts'
import { Roles } from '../../shared/schemas/user-shapes.ts'
import { type Milliseconds, minutes } from '../../shared/time.ts'
import type { AuthContext } from '../auth.ts'
import type { NewLink } from '../providers/provider.ts'

const life: Milliseconds = minutes(10)
/** The id of the sign-in of this browser that waits for its second step. */
export const secondStepNote = cookieNote('second_step', life)
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
export async function beginSecondStep(context: AuthContext, reply: FastifyReply, userId: string, link?: NewLink) {
  const { db, now } = context
  const id = `second-step:${randomUUID()}`
  const at = db.timestamp(now())
  const value = JSON.stringify({ userId, password: await passwordMark(db.q, userId), link })
  const row = { id, identifier: id, value, expires_at: db.timestamp(now() + life), created_at: at, updated_at: at }
  await db.q.insertInto('verifications').values(row).execute()
  secondStepNote.write(context, reply, id)
}

/** The sign-in of this browser that waits for its second step. */
export async function pendingSignIn(context: AuthContext, request: FastifyRequest): Promise<Challenge | undefined> {
  const { db, now } = context
  const id = secondStepNote.read(context, request)
  if (id === undefined) return undefined
  const row = await db.q.selectFrom('verifications').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row || instantOf(row.expires_at) <= now()) return undefined
  return { id, ...Value.parse(JSON.parse(row.value)) }
}

/** Uses up the sign-in; false if it was used before, or if the password has changed since it began. The caller has locked the user. */
export async function endSecondStep(tx: Queries, { id, userId, password }: Challenge): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('verifications').where('id', '=', id).executeTakeFirst()
  return numDeletedRows === 1n && (await passwordMark(tx, userId)) === password
}

/** Tells whether the password is still the same. */
export async function passwordMark(q: Queries, userId: string): Promise<string | null> {
  const kept = await keptPassword(q, userId)
  return kept ? createHash('sha256').update(kept.hash).digest('base64url') : null
}
