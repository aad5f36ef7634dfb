import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { auditAndNotify } from '../notices/account-changes.ts'
import { type AuditRecord, auditWaitTime, changesFromNull, writeAudit } from '../people/audit/log.ts'
import { ApiKey } from '../people/contract.ts'
import { lockUser, readUser, userColumns } from '../people/store.ts'
import type { Background } from '../platform/background.ts'
import type { Context } from '../platform/context.ts'
import { hashOf } from '../platform/crypto/secrets.ts'
import { lookUp } from '../platform/db/look-up.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { countRows } from '../platform/db/rows/read.ts'
import { deleteInBatches } from '../platform/db/rows/write.ts'
import { transact } from '../platform/db/transact.ts'
import { actorOf, nameOfCaller, originOf } from '../platform/http/access/actor.ts'
import { callerOf, recentProof, signedIn } from '../platform/http/access/guard.ts'
import type { App, Caller } from '../platform/http/app.ts'
import { routesOf } from '../platform/http/calls.ts'
import { accessChanged, inboxChanged } from '../platform/live/events.ts'
import { networksOf } from '../platform/net/networks.ts'
import { callerDeleted, HttpError, invalid, notFound } from '../shared/http-error.ts'
import { days, type Instant, type Milliseconds } from '../shared/time.ts'
import { Active } from '../shared/user.ts'
import type { Auth, AuthContext } from './auth.ts'
import { ownCalls } from './contract.ts'
import { mustSetUp } from './second-factor/rule.ts'
import { recordUsage } from './sessions.ts'

/** Maximum API keys per user, including expired ones. */
const mostKeys = 50

/** Finds the owner and scopes of an API key; undefined if it is unknown or expired, or its owner isn't active. */
export function callerByKey(context: AuthContext, { background }: Auth) {
  const noteNetwork = watchNetworks(context, background)
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
  return async (request: FastifyRequest, key: string): Promise<Caller | undefined> => {
    const row = await keyByHash(hashOf(key))
    const now = context.now()
    if (!row || row.status !== Active || (row.expires_at !== null && row.expires_at <= now)) return undefined
    recordUsage(context, background, row, { table: 'api_key', id: row.key_id }, now)
    const via = { kind: 'key', keyId: row.key_id, name: row.key_name } as const
    const caller = { user: readUser(row), via, scopes: parseScopes(row.scopes), mustSetUp: row.must_set_up === 1 }
    noteNetwork(caller, request)
    return caller
  }
}

type KeyCaller = Caller & { via: { kind: 'key' } }
type NewKey = Pick<ApiKey, 'name' | 'scopes' | 'expiresAt'>

/** Creates a key; only this result contains the key itself. Throws a 409 at the limit, a 401 if the user is deleted. */
export async function createKey(
  db: Db,
  tx: Queries,
  userId: string,
  { name, scopes, expiresAt }: NewKey,
  now: Instant,
): Promise<ApiKey & { key: string }> {
  // Locks the user, so that concurrent requests can't exceed the limit.
  await lockUser(db, tx, { id: userId }, callerDeleted)
  const count = await countRows(tx.selectFrom('api_key').where('user_id', '=', userId))
  if (count >= mostKeys) throw new HttpError(409, `You've reached the limit of ${mostKeys} API keys. Delete one first.`)
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

/** Deletes one of the user's own keys and returns its name. Throws a 404 for any other key. */
async function deleteKey(tx: Queries, userId: string, id: string): Promise<string> {
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
    .select(['id', 'name', 'last4', 'scopes'])
    .select(['created_at as createdAt', 'last_used_at as lastUsedAt', 'expires_at as expiresAt'])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, scopes: parseScopes(row.scopes) }))
}

const parseScopes = (text: string): ApiKey['scopes'] => ApiKey.shape.scopes.parse(JSON.parse(text))

const mostRemembered = 10_000
/** Maximum new networks logged per key and day, since a key may be used from thousands. */
const mostADay = 50
const keptFor: Milliseconds = days(400)

/** Logs the first use of each API key from each network, without delaying the request. */
function watchNetworks({ db, now }: AuthContext, background: Background) {
  const seenNetworks = new Set<string>()

  async function remember(caller: KeyCaller, request: FastifyRequest, network: string) {
    const at = now()
    const { keyId, name } = caller.via
    await transact(db, async (tx) => {
      const networks = tx.selectFrom('api_key_network').where('key_id', '=', keyId)
      const today = await countRows(networks.where('at', '>', at - days(1)))
      const actor = { id: caller.user.id, name: nameOfCaller(caller), ...originOf(request) }
      const changes = [{ field: 'network', from: null, to: network }]
      const used: AuditRecord = { actor, action: 'key.use', target: { id: keyId, name }, changes }
      // Over the limit, only the log entry is skipped: no request is refused for its network.
      if (today >= mostADay || (await auditWaitTime(tx, at, used)) > 0) return
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('api_key_network')
        .values({ key_id: keyId, network, at })
        .onConflict((on) => on.doNothing())
        .executeTakeFirst()
      if (!numInsertedOrUpdatedRows) return
      await writeAudit(tx, at, used)
    })
    if (seenNetworks.size >= mostRemembered) seenNetworks.clear()
    seenNetworks.add(`${keyId} ${network}`)
  }

  return (caller: KeyCaller, request: FastifyRequest): void => {
    const network = networksOf(request.ip).at(-1) ?? request.ip
    const key = `${caller.via.keyId} ${network}`
    if (seenNetworks.has(key)) return
    background.once(`recording the network of API key ${key}`, () => remember(caller, request, network))
  }
}

/** Deletes networks whose first use is older than the audit log. */
export const deleteOldNetworks = (q: Queries, now: Instant): Promise<void> =>
  deleteInBatches(q, 'api_key_network', { key: ['key_id', 'network'], where: sql`at < ${now - keptFor}` })

/** 10000-01-01: screens can't show a later date. */
const endOfTime: Instant = Date.UTC(10_000, 0)

/** Routes for users to manage their own API keys; API keys can't call them. */
export function keyRoutes(
  app: App,
  { db, now, events, notify }: AuthContext & Pick<Context, 'events' | 'notify'>,
): void {
  const route = routesOf(app, ownCalls, 'Your account')
  route('GET /api/v1/user/apikeys', { ...signedIn('never'), summary: 'List your API keys, newest first' }, (request) =>
    apiKeysOf(db.q, callerOf(request).user.id),
  )

  route(
    'POST /api/v1/user/apikeys',
    {
      ...recentProof(signedIn('never')),
      summary: 'Create an API key; it is shown only once',
      failures: [409],
    },
    async (request) => {
      const { user } = callerOf(request)
      const at = now()
      const { name, scopes, expiresAt } = request.body
      if (expiresAt !== null && expiresAt <= at) throw invalid('expiresAt', 'Choose a time in the future.')
      if (expiresAt !== null && expiresAt >= endOfTime) throw invalid('expiresAt', 'Choose an earlier time, or never.')
      const created = await transact(db, async (tx) => {
        const key = await createKey(db, tx, user.id, request.body, at)
        await auditAndNotify({ notify }, tx, at, user.id, {
          actor: actorOf(request),
          action: 'key.create',
          target: { id: key.id, name },
          changes: changesFromNull({ scopes, expiresAt }),
        })
        return key
      })
      events.publish([inboxChanged(user.id)])
      return created
    },
  )

  route(
    'DELETE /api/v1/user/apikeys',
    { ...signedIn('never'), summary: 'Delete an API key', failures: [404] },
    async (request) => {
      const { user } = callerOf(request)
      const { id } = request.query
      await transact(db, async (tx) => {
        const name = await deleteKey(tx, user.id, id)
        await writeAudit(tx, now(), { actor: actorOf(request), action: 'key.delete', target: { id, name } })
      })
      events.publish([accessChanged(user.id)])
      return { id }
    },
  )
}
