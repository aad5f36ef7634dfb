import { sql } from 'kysely'
import { providersOf } from '../people/sign-in-methods.ts'
import type { Which } from '../people/store.ts'
import type { Queries } from '../platform/db/open.ts'
import { exists } from '../platform/db/rows/read.ts'
import { deleteInBatches } from '../platform/db/rows/write.ts'
import { notFound } from '../shared/http-error.ts'
import { apiKeysOf } from '../sign-in/api-keys.ts'
import type { User } from './contract.ts'
import { listedUsers, toListedUser } from './listed-user.ts'

/** Throws a 404 if there is no such user. */
export async function userInFull(q: Queries, which: Which): Promise<User> {
  const users = listedUsers(q)
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

/** Whether a user other than `exceptId` has this email or username, in lower case. */
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

export async function entriesOf(tx: Queries, ownerId: string): Promise<string[]> {
  const rows = await tx.selectFrom('entry').select('id').where('owner_id', '=', ownerId).execute()
  return rows.map(({ id }) => id)
}

/** Deletes a user with their entries; sessions, links and keys are deleted by the database. */
export async function removeUser(tx: Queries, id: string): Promise<void> {
  // Deleting an entry deletes its runs and events too, of which there may be many.
  await deleteInBatches(tx, 'entry', { key: ['id'], where: sql`owner_id = ${id}`, most: 5 })
  await tx.deleteFrom('users').where('id', '=', id).execute()
}
