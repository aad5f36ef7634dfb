import { type SqlBool, sql } from 'kysely'
import type { Queries } from '../../platform/db/open.ts'
import { asNumber } from '../../platform/db/rows/read.ts'
import type { Roles } from '../../shared/user.ts'
import type { SignInConfig } from '../config.ts'
import { passkeyHost } from '../working-methods.ts'

type RuleConfig = Pick<SignInConfig, 'requireSecondFactor'> & { baseUrl: string }
type SecondStep = 'totp' | 'passkey'

/** Whether the user in the query's `users` has an authenticator app. */
export const hasApp = sql<SqlBool>`exists (
  select 1 from second_factor where second_factor.user_id = users.id and second_factor.secret is not null)`

/** Whether the user in the query's `users` has a passkey that works at this host. */
export const hasPasskey = (config: { baseUrl: string }) => sql<SqlBool>`exists (
  select 1 from passkey where passkey.user_id = users.id and passkey.rp_id = ${sql.lit(passkeyHost(config))})`

export const hasPassword = sql<SqlBool>`exists (
  select 1 from provider_links where provider_links.user_id = users.id and provider_links.password is not null)`

/** Whether the user in the query's `users` must have a second factor; this applies only to users with a password. */
const isRequired = ({ requireSecondFactor }: RuleConfig, claimed?: Roles) => {
  if (requireSecondFactor === 'none') return sql<SqlBool>`(1 = 0)`
  return requireSecondFactor === 'all' || (claimed && claimed.Admin > 0)
    ? hasPassword
    : sql<SqlBool>`(users.admin_level >= 1 and ${hasPassword})`
}

/** 1 for a user who has to set up a second factor before anything else, else 0. */
export const mustSetUp = (config: RuleConfig) =>
  config.requireSecondFactor === 'none'
    ? sql<number>`0`
    : asNumber(sql`(${isRequired(config)} and not ${hasApp} and not ${hasPasskey(config)})`)

/** What this user has and needs at this host; `claimed` are the levels that a sign-in will set. */
const factorsOf = (q: Queries, config: RuleConfig, userId: string, claimed?: Roles) =>
  q
    .selectFrom('users')
    .select([
      asNumber(hasApp).as('app'),
      asNumber(hasPasskey(config)).as('passkey'),
      asNumber(isRequired(config, claimed)).as('required'),
    ])
    .where('id', '=', userId)
    .executeTakeFirst()

/**
 * The methods for this user's second step, of which one is required; empty if no second step is needed. A sign-in that
 * sets the levels `claimed` needs the second step that either they or the current levels require.
 */
export async function secondStepsOf(
  q: Queries,
  config: RuleConfig,
  userId: string,
  claimed?: Roles,
): Promise<SecondStep[]> {
  const row = await factorsOf(q, config, userId, claimed)
  if (!row || !(row.app || (row.required && row.passkey))) return []
  return [...(row.app ? (['totp'] as const) : []), ...(row.passkey ? (['passkey'] as const) : [])]
}

/** Whether this user has an authenticator app or a passkey of this host. */
export async function hasFactor(q: Queries, config: RuleConfig, userId: string): Promise<boolean> {
  const row = await factorsOf(q, config, userId)
  return row?.app === 1 || row?.passkey === 1
}

export const isFactorRequired = async (q: Queries, config: RuleConfig, userId: string): Promise<boolean> =>
  (await factorsOf(q, config, userId))?.required === 1
