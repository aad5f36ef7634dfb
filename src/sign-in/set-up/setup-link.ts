import { createHash, randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import type { Db, Queries } from '../../platform/db/open.ts'
import { hours, type Instant, type Milliseconds } from '../../shared/time.ts'

/** What a link is for: the first admin, another admin with this email and username, or a new password for a user. */
const Purpose = z.discriminatedUnion('for', [
  z.object({ for: z.literal('first'), at: z.int() }),
  z.object({ for: z.literal('admin'), at: z.int(), email: z.string(), username: z.string() }),
  z.object({ for: z.literal('password'), at: z.int(), userId: z.string() }),
])
type Purpose = z.infer<typeof Purpose>

const life: Milliseconds = hours(24)

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

/** Stores the hash of a new token and returns the token, which is stored nowhere. */
export async function createSetupToken(q: Queries, purpose: Purpose): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await q
    .insertInto('setup_link')
    .values({ hash: hashOf(token), purpose: purpose.for, details: JSON.stringify(purpose) })
    .execute()
  return token
}

/** The hash and purpose of a token; undefined if it is unknown or has expired. */
export async function findToken(
  q: Queries,
  token: string,
  now: Instant,
): Promise<{ hash: string; purpose: Purpose } | undefined> {
  const hash = hashOf(token)
  const row = await q.selectFrom('setup_link').select('details').where('hash', '=', hash).executeTakeFirst()
  if (!row) return undefined
  const purpose = Purpose.parse(JSON.parse(row.details))
  return now - purpose.at < life ? { hash, purpose } : undefined
}

/** Deletes a used token, and all others for the first admin if it was one; returns false if somebody else was faster. */
export async function useToken(tx: Queries, { hash, purpose }: { hash: string; purpose: Purpose }): Promise<boolean> {
  const links = tx.deleteFrom('setup_link').returning('hash')
  const gone = await (purpose.for === 'first'
    ? links.where('purpose', '=', 'first')
    : links.where('hash', '=', hash)
  ).execute()
  return gone.some((row) => row.hash === hash)
}

/** Deletes older links for the first admin; instances that start together keep each other's for an hour. */
export async function dropFirstTokens({ isShared, q }: Db, now: Instant): Promise<void> {
  const rows = await q.selectFrom('setup_link').select(['hash', 'details']).where('purpose', '=', 'first').execute()
  const old = rows.filter(({ details }) => !isShared || now - Purpose.parse(JSON.parse(details)).at >= hours(1))
  for (const { hash } of old) await q.deleteFrom('setup_link').where('hash', '=', hash).execute()
}
