import { parseRoles, parseTags } from '../../people/store.ts'
import type { Caller } from '../../platform/http/caller.ts'

/** The columns of a caller, whether found by session or by key. */
export const userColumns = [
  'users.id',
  'users.name',
  'users.email',
  'users.email_verified',
  'users.status',
  'users.tags',
  'users.roles',
  'users.cred_username',
  'users.last_usage_timestamp',
] as const

type UserRow = {
  id: string
  name: string
  email: string
  email_verified: boolean | 0 | 1
  status: number
  tags: string
  roles: string
  cred_username: string | null
}

export const userOf = (row: UserRow): Caller['user'] => ({
  id: row.id,
  name: row.name,
  email: row.email,
  emailVerified: Boolean(row.email_verified),
  status: row.status,
  tags: parseTags(row.tags),
  roles: parseRoles(row.roles),
  credUsername: row.cred_username,
})
