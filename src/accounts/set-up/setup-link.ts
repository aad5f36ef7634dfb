import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import * as z from 'zod/mini'
import type { Db, Queries } from '../../platform/db/open.ts'
import { hours, type Instant, type Milliseconds } from '../../shared/time.ts'

/** What a link is good for: the first admin, a further one of this email and name, or a new password for somebody. */
const Purpose = z.discriminatedUnion('for', [
  z.object({ for: z.literal('first'), at: z.int() }),
  z.object({ for: z.literal('admin'), at: z.int(), email: z.string(), username: z.string() }),
  z.object({ for: z.literal('password'), at: z.int(), userId: z.string() }),
])
export type Purpose = z.infer<typeof Purpose>

const boundLife: Milliseconds = hours(24)
const prefix = 'setup-link/'

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

/** Keeps the hash of a new token and answers the token, which is kept nowhere. */
export async function issueToken(q: Queries, purpose: Purpose): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const key = `${prefix}${purpose.for}/${hashOf(token)}`
  await q
    .insertInto('setting')
    .values({ key, value: JSON.stringify(purpose) })
    .execute()
  return token
}

/** The row and purpose of a token that still works. */
export async function findToken(
  q: Queries,
  token: string,
  now: Instant,
): Promise<{ key: string; purpose: Purpose } | undefined> {
  const rows = await q.selectFrom('setting').selectAll().where('key', 'like', `${prefix}%`).execute()
  const wanted = Buffer.from(hashOf(token))
  const row = rows.find(({ key }) => {
    const kept = Buffer.from(key.slice(key.lastIndexOf('/') + 1))
    return kept.length === wanted.length && timingSafeEqual(kept, wanted)
  })
  if (!row) return undefined
  const purpose = Purpose.parse(JSON.parse(row.value))
  return purpose.for === 'first' || now - purpose.at < boundLife ? { key: row.key, purpose } : undefined
}

/** Uses a token up, and with a first admin's all others of that kind; false when somebody else was faster. */
export async function useToken(q: Queries, { key, purpose }: { key: string; purpose: Purpose }): Promise<boolean> {
  const first = purpose.for === 'first'
  const gone = await q
    .deleteFrom('setting')
    .where('key', first ? 'like' : '=', first ? `${prefix}first/%` : key)
    .returning('key')
    .execute()
  return gone.some((row) => row.key === key)
}

/** Forgets older links to the first admin; instances that start together leave each other's alone for an hour. */
export async function dropFirstTokens({ isShared, q }: Db, now: Instant): Promise<void> {
  const rows = await q.selectFrom('setting').selectAll().where('key', 'like', `${prefix}first/%`).execute()
  const old = rows.filter(({ value }) => !isShared || now - Purpose.parse(JSON.parse(value)).at >= hours(1))
  for (const { key } of old) await q.deleteFrom('setting').where('key', '=', key).execute()
}
