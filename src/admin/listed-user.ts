import { sql } from 'kysely'
import { credentialsProvider } from '../people/contract.ts'
import { credential } from '../people/sign-in-methods.ts'
import { parseRoles, parseTags, readUser, userColumns } from '../people/store.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { instantOf } from '../platform/db/storable.ts'
import { hasApp } from '../sign-in/second-factor/rule.ts'
import type { ListedUser } from './contract.ts'

/** Whether a request of the user in the query's `users` waits for an admin. */
export const isWaiting = sql<boolean>`exists (
  select 1 from access_request where access_request.user_id = users.id and access_request.decided_at is null)`
const asNumber = (condition: typeof isWaiting | typeof hasApp) =>
  sql<number>`(case when ${condition} then 1 else 0 end)`

type Row = Awaited<ReturnType<ReturnType<typeof listedUsers>['execute']>>[number]

/** The rows of users as `toListedUser` takes them. */
export const listedUsers = (q: Queries) =>
  q
    .selectFrom('users')
    .select(userColumns)
    .select(['last_usage_timestamp', 'last_sign_in_at', 'log_in_count', 'created_at', 'updated_at'])
    .select([asNumber(hasApp).as('second_factor'), asNumber(isWaiting).as('waiting')])

/** The ids of the providers of each of these users, in their order. */
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
  const shown = (id: string) => (id === credential ? credentialsProvider : id)
  return new Map(
    [...byUser].map(([id, links]) => [id, [...new Set(links.map((link) => shown(link.provider_id)))].sort()]),
  )
}

export const toListedUser = (
  row: Row,
  providerIds: readonly string[],
  parse?: ReturnType<typeof rememberingParsers>,
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

/** Parses like the usual parsers, but each text once: thousands of users have few different sets of roles and tags. */
export const rememberingParsers = () => ({ tags: memoize(parseTags), roles: memoize(parseRoles) })

function memoize<T>(parse: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const value = known.get(text) ?? parse(text)
    known.set(text, value)
    return value
  }
}
