import { sql } from 'kysely'
import { credentialsProvider } from '../people/contract.ts'
import { credential, providersOf } from '../people/sign-in-methods.ts'
import { parseRoles, parseTags, readUser, type UserRef, userColumns } from '../people/store.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { asNumber, exists } from '../platform/db/rows/read.ts'
import { deleteInBatches } from '../platform/db/rows/write.ts'
import { instantOf } from '../platform/db/storable.ts'
import { notFound } from '../shared/http-error.ts'
import { apiKeysOf } from '../sign-in/api-keys.ts'
import { hasApp } from '../sign-in/second-factor/rule.ts'
import type { ListedUser, User } from './contract.ts'

/** Whether the user in the query's `users` has an access request without a decision. */
export const isWaiting = sql<boolean>`exists (
  select 1 from access_request where access_request.user_id = users.id and access_request.decided_at is null)`

type Row = Awaited<ReturnType<ReturnType<typeof selectListedUsers>['execute']>>[number]

/** Selects the columns that `toListedUser` needs. */
export const selectListedUsers = (q: Queries) =>
  q
    .selectFrom('users')
    .select(userColumns)
    .select(['last_usage_timestamp', 'last_sign_in_at', 'log_in_count', 'created_at', 'updated_at'])
    .select([asNumber(hasApp).as('second_factor'), asNumber(isWaiting).as('waiting')])

/** Returns each user's provider ids, sorted; users without providers are missing. */
export async function providerIdsOf(
  { isOneOf }: Pick<Db, 'isOneOf'>,
  q: Queries,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string[]>> {
  const rows = await q
    .selectFrom('provider_links')
    .select(['user_id', 'provider_id'])
    .where(isOneOf('user_id', userIds))
    .execute()
  const byUser = Map.groupBy(rows, (row) => row.user_id)
  const toProviderId = (id: string) => (id === credential ? credentialsProvider : id)
  return new Map(
    [...byUser].map(([id, links]) => [id, [...new Set(links.map((link) => toProviderId(link.provider_id)))].sort()]),
  )
}

export const toListedUser = (
  row: Row,
  providerIds: readonly string[],
  parse?: ReturnType<typeof cachedParsers>,
): ListedUser => ({
  ...readUser(row, parse),
  secondFactor: row.second_factor === 1,
  providerIds: [...providerIds],
  waiting: row.waiting === 1,
  lastUsageTimestamp: row.last_usage_timestamp === null ? null : instantOf(row.last_usage_timestamp),
  lastSignInAt: row.last_sign_in_at,
  logInCount: row.log_in_count,
  createdAt: instantOf(row.created_at),
  updatedAt: instantOf(row.updated_at),
})

/** The usual parsers with a cache: thousands of users share a few different sets of roles and tags. */
export const cachedParsers = () => ({ tags: memoize(parseTags), roles: memoize(parseRoles) })

function memoize<T>(parse: (text: string) => T): (text: string) => T {
  const cache = new Map<string, T>()
  return (text) => {
    const value = cache.get(text) ?? parse(text)
    cache.set(text, value)
    return value
  }
}

/** Throws a 404 if there is no such user. */
export async function loadUserDetail(q: Queries, which: UserRef): Promise<User> {
  const users = selectListedUsers(q)
  const row = await ('id' in which ? users.where('id', '=', which.id) : users.where('email', '=', which.email))
    .select(({ selectFrom }) => {
      const editor = selectFrom('users as editor').whereRef('editor.id', '=', 'users.changed_by')
      return [editor.select('name').as('changedBy'), editor.select('id').as('changedById')]
    })
    .select(({ selectFrom, fn }) => {
      const count = fn.countAll<number>().as('count')
      const ofUser = (table: 'passkey' | 'sessions') =>
        selectFrom(table).select(count).whereRef(`${table}.user_id`, '=', 'users.id')
      return [
        selectFrom('entry').select(count).whereRef('entry.owner_id', '=', 'users.id').as('entries'),
        ofUser('passkey').as('passkeys'),
        ofUser('sessions').as('sessions'),
      ]
    })
    .executeTakeFirst()
  if (!row) throw notFound('User')
  const providers = await providersOf(q, { id: row.id, credUsername: row.cred_username })
  const user = toListedUser(row, [...new Set(providers.map(({ providerId }) => providerId))])
  return {
    ...user,
    changedBy: row.changedBy,
    changedById: row.changedById,
    changedAt: user.updatedAt,
    providers,
    apiKeys: await apiKeysOf(q, user.id),
    entries: row.entries ?? 0,
    passkeys: row.passkeys ?? 0,
    sessions: row.sessions ?? 0,
  }
}

/** Whether a user other than `exceptId` has this email or username, given in lower case. */
export const isTaken = (
  q: Queries,
  column: 'email' | 'cred_username',
  value: string,
  exceptId: string | undefined,
): Promise<boolean> =>
  exists(
    q
      .selectFrom('users')
      .where(column, '=', value)
      .where('id', '!=', exceptId ?? ''),
  )

export async function entryIdsOf(tx: Queries, ownerId: string): Promise<string[]> {
  const rows = await tx.selectFrom('entry').select('id').where('owner_id', '=', ownerId).execute()
  return rows.map(({ id }) => id)
}

/** Deletes a user and their entries; foreign keys cascade to sessions, provider links and API keys. */
export async function removeUser(tx: Queries, id: string): Promise<void> {
  // In small batches: deleting an entry also deletes its runs and events, which may be many.
  await deleteInBatches(tx, 'entry', { key: ['id'], where: sql`owner_id = ${id}`, most: 5 })
  await tx.deleteFrom('users').where('id', '=', id).execute()
}
