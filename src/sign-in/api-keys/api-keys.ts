import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { ApiKey } from '../../people/contract.ts'
import { callerIsGone, lockUser, readUser, userColumns } from '../../people/store.ts'
import { lookUp } from '../../platform/db/look-up.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { HttpError, notFound } from '../../shared/http-error.ts'
import type { Instant } from '../../shared/time.ts'
import { Active } from '../../shared/user.ts'
import type { Auth, AuthContext } from '../auth.ts'
import { mustSetUp } from '../second-factor/rule.ts'
import { recordUsage } from '../sessions/usage.ts'

/** How many API keys a user may have, including expired ones. */
const mostKeys = 50

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex')

/** Finds the owner of an API key and the key's scopes; undefined if the key is unknown or expired, or its owner isn't Active. */
export function keyCaller(context: AuthContext, { background }: Auth): (key: string) => Promise<Caller | undefined> {
  const keyByHash = lookUp(context.db, (isAsked) =>
    context.db.q
      .selectFrom('api_key')
      .innerJoin('users', 'users.id', 'api_key.user_id')
      .select([
        'api_key.hash as asked',
        'api_key.id as key_id',
        'api_key.name as key_name',
        'api_key.scopes',
        'api_key.expires_at',
        'api_key.last_used_at',
        ...userColumns,
        'users.last_usage_timestamp',
        mustSetUp(context.config).as('must_set_up'),
      ])
      .where(isAsked('api_key.hash')),
  )
  return async (key) => {
    const row = await keyByHash(hashOf(key))
    const now = context.now()
    if (!row || row.status !== Active || (row.expires_at !== null && row.expires_at <= now)) return undefined
    recordUsage(context, background, row, { table: 'api_key', id: row.key_id }, now)
    return {
      user: readUser(row),
      via: { kind: 'key', keyId: row.key_id, name: row.key_name },
      scopes: parseScopes(row.scopes),
      mustSetUp: row.must_set_up === 1,
    }
  }
}

type NewKey = Pick<ApiKey, 'name' | 'scopes' | 'expiresAt'>

/** Creates a key; only the answer ever contains all of it. Throws a 409 if the user has reached the limit, a 401 if they were just deleted. */
export async function createKey(
  db: Db,
  tx: Queries,
  userId: string,
  { name, scopes, expiresAt }: NewKey,
  now: Instant,
): Promise<ApiKey & { key: string }> {
  await checkLimit(db, tx, userId)
  const key = `tbx_${randomBytes(32).toString('base64url')}`
  const [id, last4] = [randomUUID(), key.slice(-4)]
  await tx
    .insertInto('api_key')
    .values({
      id,
      user_id: userId,
      name,
      scopes: JSON.stringify(scopes),
      hash: hashOf(key),
      last4,
      created_at: now,
      expires_at: expiresAt,
    })
    .execute()
  return { id, name, last4, scopes, createdAt: now, lastUsedAt: null, expiresAt, key }
}

/** Locks the user's row, so that simultaneous keys are counted one after the other. */
async function checkLimit(db: Db, tx: Queries, userId: string) {
  await lockUser(db, tx, { id: userId }, callerIsGone)
  const { count } = await tx
    .selectFrom('api_key')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  if (count >= mostKeys) throw new HttpError(409, `You've reached the limit of ${mostKeys} API keys. Delete one first.`)
}

/** Deletes one of the user's own keys and returns its name. Throws a 404 for any other key. */
export async function deleteKey(tx: Queries, userId: string, id: string): Promise<string> {
  const row = await tx
    .deleteFrom('api_key')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('name')
    .executeTakeFirst()
  if (!row) throw notFound('API key')
  return row.name
}

/** A user's API keys without their secrets, newest first, including expired ones. */
export async function apiKeysOf(q: Queries, userId: string): Promise<ApiKey[]> {
  const rows = await q
    .selectFrom('api_key')
    .select(['id', 'name', 'last4', 'scopes', 'created_at', 'last_used_at', 'expires_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    last4: row.last4,
    scopes: parseScopes(row.scopes),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  }))
}

/** The scopes of a key from its row. */
const parseScopes = (text: string): ApiKey['scopes'] => ApiKey.shape.scopes.parse(JSON.parse(text))
