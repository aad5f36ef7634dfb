import { accountIdOf } from '../../../people/contract.ts'
import type { Roles } from '../../../shared/user.ts'
import type { Identity } from '../provider.ts'
import { AccountName, usableEmail, usableName } from '../provider.ts'

/** What a provider says of a user, in its ID token or at its userinfo endpoint. */
export type Told = Readonly<Record<string, unknown>>

const levels: Readonly<Record<string, Partial<Roles>>> = {
  'toolbox:tools': { Tools: 1 },
  'toolbox:tools:all': { Tools: 2 },
  'toolbox:admin:read': { Admin: 1 },
  'toolbox:admin': { Admin: 2 },
}

/** The claim of this name, or by this path of names that dots separate. */
export function claimOf(told: Told, name: string): unknown {
  if (Object.hasOwn(told, name)) return told[name]
  let value: unknown = told
  for (const part of name.split('.'))
    value = isObject(value) && Object.hasOwn(value, part) ? (value as Told)[part] : undefined
  return value
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The role levels that a claim's values ask for, the highest of each; `odd` if it is neither text nor a list of texts. */
export function rolesOf(claim: unknown): Roles | 'odd' {
  const values = typeof claim === 'string' ? claim.split(/[\s,]+/) : claim
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) return 'odd'
  const asked = values.flatMap((value) => (Object.hasOwn(levels, value) ? [levels[value]!] : []))
  const highest = (name: keyof Roles) => Math.max(0, ...asked.map((one) => one[name] ?? 0)) as Roles[typeof name]
  return { Admin: highest('Admin'), Tools: highest('Tools') }
}

/** Whether something is missing of a user that the userinfo endpoint may know. */
export const isIncomplete = (told: Told, rolesClaim: string | undefined): boolean =>
  ['email', 'email_verified', 'name', 'preferred_username'].some((name) => told[name] === undefined) ||
  (rolesClaim !== undefined && claimOf(told, rolesClaim) === undefined)

/** The user's account. An address and whether it is verified count only together, as one of the two says them. */
export function identityOf(sub: string, issuer: string, idToken: Told, userInfo: Told = {}): Omit<Identity, 'roles'> {
  const both = { ...userInfo, ...idToken }
  const isFromToken = idToken.email_verified !== undefined || userInfo.email === undefined
  const { email, email_verified } = idToken.email !== undefined && isFromToken ? idToken : userInfo
  const username = [both.preferred_username, both.nickname, email, sub]
    .map((name) => AccountName.safeParse(name))
    .find(({ success }) => success)?.data
  const usable = username ?? sub.slice(0, 100)
  return {
    accountId: accountIdOf(issuer, sub),
    username: usable,
    name: usableName(typeof both.name === 'string' ? both.name : undefined, usable),
    email: usableEmail(typeof email === 'string' ? email : undefined, email_verified === true),
  }
}
