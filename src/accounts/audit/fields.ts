import { Active } from '../../shared/user.ts'
import type { User } from '../admin/contract.ts'
import { credentialsProvider } from '../users/contract.ts'
import type { NewUser } from '../users/store.ts'
import type { Change } from './contract.ts'
import type { Actor, AuditRecord } from './log.ts'

type Value = Change['from']
/** A user's record as the log speaks of it: one plain value a field. */
export type Fields = Record<string, Value>

/** How the log calls an account: its provider, and the name it has there. */
export const accountName = ({ providerId, accountId, accountUsername }: User['providers'][number]): string =>
  `${providerId} ${accountUsername ?? accountId}`

export const fieldsOf = (
  user: Pick<User, 'name' | 'email' | 'emailVerified' | 'status' | 'tags' | 'roles' | 'providers' | 'credUsername'>,
): Fields => ({
  name: user.name,
  email: user.email,
  emailVerified: user.emailVerified,
  status: user.status,
  'roles.Admin': user.roles.Admin,
  'roles.Tools': user.roles.Tools,
  tags: user.tags,
  credUsername: user.credUsername,
  providers: user.providers.map(accountName),
})

/** What became of which field; one that was not there before, or is not there after, reads as null. */
export function changesBetween(before: Fields, after: Fields): Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((field) => {
    const [from, to] = [before[field] ?? null, after[field] ?? null]
    return said(from) === said(to) ? [] : [{ field, from, to }]
  })
}

/** An empty list says as much as none. */
const said = (value: Value) => JSON.stringify(Array.isArray(value) && value.length === 0 ? null : value)

/** That this user was made, and as what. */
export function creation(actor: Actor, id: string, user: NewUser): AuditRecord {
  const { credentials, tags = [], status = Active } = user
  const credUsername = credentials?.username ?? null
  const password = { providerId: credentialsProvider, accountId: id, accountUsername: credUsername }
  const providers = credentials?.hash ? [password] : []
  const made = fieldsOf({ ...user, tags: [...tags], status, providers, credUsername })
  return { actor, action: 'user.create', target: { id, name: user.email }, changes: changesBetween({}, made) }
}
