import type { Actor } from '../../platform/http/access/actor.ts'
import { Active, type SessionUser } from '../../shared/user.ts'
import { credentialsProvider } from '../contract.ts'
import type { NewUser, UserRow } from '../store.ts'
import type { Change } from './contract.ts'
import type { AuditRecord } from './log.ts'

type Value = Change['from']
/** A user's record in the log: one plain value per field. */
type Fields = Record<string, Value>

/** The name of an account in the log: its provider and its username there. */
export const accountName = ({ providerId, accountId, accountUsername }: SessionUser['providers'][number]): string =>
  `${providerId} ${accountUsername ?? accountId}`

export const fieldsOf = (user: Omit<UserRow, 'id'> & { providers?: SessionUser['providers'] }): Fields => ({
  name: user.name,
  email: user.email,
  emailVerified: user.emailVerified,
  status: user.status,
  'roles.Admin': user.roles.Admin,
  'roles.Tools': user.roles.Tools,
  tags: user.tags,
  credUsername: user.credUsername,
  ...(user.providers && { providers: user.providers.map(accountName) }),
})

/** The fields that differ; a missing one counts as null. */
export function changesBetween(before: Fields, after: Fields): Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((field) => {
    const [from, to] = [before[field] ?? null, after[field] ?? null]
    return comparable(from) === comparable(to) ? [] : [{ field, from, to }]
  })
}

/** An empty list is the same as none. */
const comparable = (value: Value) => JSON.stringify(Array.isArray(value) && value.length === 0 ? null : value)

/** The record of a user's creation, with all fields. */
export function creation(actor: Actor, id: string, user: NewUser): AuditRecord {
  const { credentials, tags = [], status = Active } = user
  const credUsername = credentials?.username ?? null
  const password = { providerId: credentialsProvider, accountId: id, accountUsername: credUsername }
  const providers = credentials?.hash ? [password] : []
  const made = fieldsOf({ ...user, tags: [...tags], status, providers, credUsername })
  return { actor, action: 'user.create', target: { id, name: user.email }, changes: changesBetween({}, made) }
}
