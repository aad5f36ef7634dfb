import type { Caller } from '../../platform/http/access/caller.ts'
import { parseRoles, parseTags } from '../users/store.ts'

/** The columns of a caller, whether found by session or by key. */
export const userColumns = [
  'users.id',
  'users.name',
  'users.email',
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
  status: number
  tags: string
  roles: string
  cred_username: string | null
}

export const userOf = (row: UserRow): Caller['user'] => ({
  id: row.id,
  name: row.name,
  email: row.email,
  status: row.status,
  tags: parseTags(row.tags),
  roles: parseRoles(row.roles),
  credUsername: row.cred_username,
})
