import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import * as z from 'zod/mini'
import { lockRows } from '../platform/db/locks.ts'
import type { Db, Queries } from '../platform/db/open.ts'
import { exists } from '../platform/db/rows/read.ts'
import { instantOf } from '../platform/db/storable.ts'
import type { Tables } from '../platform/db/tables.ts'
import { callerDeleted, fieldConflict, type HttpError, notFound } from '../shared/http-error.ts'
import { Roles as RolesShape } from '../shared/schemas/user-shapes.ts'
import { type Instant, laterThan } from '../shared/time.ts'
import { Active, type Roles, type SessionUser, type SignInMethod } from '../shared/user.ts'
import { credential, providersOf, setPassword } from './sign-in-methods.ts'

const Tags = z.array(z.string())
export const parseTags = (text: string) => Tags.parse(JSON.parse(text))
/** A role that was never assigned is level 0. */
export const parseRoles = (text: string) => RolesShape.parse({ Admin: 0, Tools: 0, ...JSON.parse(text) })

const columns = ['id', 'name', 'email', 'email_verified', 'status', 'tags', 'roles', 'cred_username'] as const
type StoredUser = Pick<Selectable<Tables['users']>, (typeof columns)[number]>
export const userColumns = columns.map((name) => `users.${name}` as const)

export type UserRow = Omit<SessionUser, 'providers' | 'mustSetUp'>

export const readUser = (row: StoredUser, parse = { tags: parseTags, roles: parseRoles }): UserRow => ({
  id: row.id,
  name: row.name,
  email: row.email,
  emailVerified: Boolean(row.email_verified),
  status: row.status,
  tags: parse.tags(row.tags),
  roles: parse.roles(row.roles),
  credUsername: row.cred_username,
})

export type NewUser = {
  /** Defaults to a random id. */
  id?: string
  name: string
  email: string
  emailVerified: boolean
  /** A username may have no password yet; `givenAt` is set unless the user chose the password. */
  credentials?: { username: string; hash?: string | undefined; givenAt?: Instant | undefined } | undefined
  roles: Roles
  tags?: readonly string[] | undefined
  status?: number | undefined
}

/** The name of the username field in the request body. */
type UsernameField = 'username' | 'credUsername'

/** Creates a user and returns the id. Throws a 409 that names the field if the email or username is taken. */
export async function createUser(
  db: Db,
  tx: Queries,
  user: NewUser,
  now: Instant,
  usernameField: UsernameField = 'username',
): Promise<string> {
  const { id = randomUUID() } = user
  const at = db.timestamp(now)
  try {
    await tx
      .insertInto('users')
      .values({
        id,
        name: user.name,
        email: user.email,
        email_verified: db.boolean(user.emailVerified),
        image: null,
        cred_username: user.credentials?.username ?? null,
        status: user.status ?? Active,
        tags: JSON.stringify(user.tags ?? []),
        roles: JSON.stringify(user.roles),
        last_usage_timestamp: null,
        log_in_count: 0,
        created_at: at,
        updated_at: at,
      })
      .execute()
  } catch (error) {
    throw takenField(db, error, usernameField) ?? error
  }
  const { hash, givenAt = null } = user.credentials ?? {}
  if (hash) await setPassword(db, tx, id, { hash, givenAt }, now)
  return id
}

/** The id of the user who makes an edit (null for the command line), and when. */
export type Edit = { by: string | null; at: Instant }

/** The caller has locked the row. Without fields, records an edit in other tables. Throws a 409 for a taken field. */
export async function saveUser(
  db: Db,
  tx: Queries,
  id: string,
  { name, email, emailVerified, status, tags, roles, credUsername }: Partial<UserRow>,
  edit: Edit | 'no edit',
): Promise<void> {
  const users = tx.selectFrom('users').select('updated_at').where('id', '=', id)
  const before = instantOf((await users.executeTakeFirstOrThrow()).updated_at)
  try {
    await tx
      .updateTable('users')
      .set({
        name,
        email,
        email_verified: emailVerified === undefined ? undefined : db.boolean(emailVerified),
        status,
        tags: tags && JSON.stringify(tags),
        roles: roles && JSON.stringify(roles),
        cred_username: credUsername,
        ...(edit !== 'no edit' && { updated_at: db.timestamp(laterThan(before, edit.at)), changed_by: edit.by }),
      })
      .where('id', '=', id)
      .execute()
  } catch (error) {
    throw takenField(db, error, 'credUsername') ?? error
  }
}

/** The 409 for a violated unique constraint of users; undefined for any other error. */
function takenField(db: Db, error: unknown, usernameField: UsernameField): HttpError | undefined {
  const what = db.uniqueViolation(error)
  if (what?.includes('cred_username')) return usernameTaken(usernameField)
  if (what?.includes('email')) return emailTaken()
  return undefined
}

/** Throws a 409 if this email or username, both in lower case, is taken. */
export async function requireNotTaken(
  q: Queries,
  { email, username }: { email: string; username: string },
): Promise<void> {
  const users = q.selectFrom('users').select('id')
  if (await users.where('email', '=', email).executeTakeFirst()) throw emailTaken()
  if (await users.where('cred_username', '=', username).executeTakeFirst()) throw usernameTaken('username')
}

const emailTaken = () => fieldConflict('email', 'This email is already in use.')
const usernameTaken = (field: UsernameField) => fieldConflict(field, 'This username is already in use.')

export async function userById(q: Queries, id: string): Promise<UserRow | undefined> {
  const row = await userRow(q, { id }).select(userColumns).executeTakeFirst()
  return row && readUser(row)
}

/** The signed-in user with sign-in methods. Throws a 401 if the user has been deleted. */
export async function sessionUser(q: Queries, id: string): Promise<SessionUser> {
  const user = readUser(await userRow(q, { id }).select(userColumns).executeTakeFirstOrThrow(callerDeleted))
  return { ...user, providers: await providersOf(q, user) }
}

/** Selects the ids of active users who may edit users. */
export const activeAdmins = (q: Queries) =>
  q.selectFrom('users').select('id').where('status', '=', Active).where('admin_level', '=', 2)

/** Whether there is an active admin; if not, the set-up link creates the first. */
export const hasAdmin = (q: Queries): Promise<boolean> => exists(activeAdmins(q))

/** Whether there are at least two active admins, so that one can replace the other. */
export const hasSecondAdmin = async (q: Queries): Promise<boolean> =>
  (await activeAdmins(q).limit(2).execute()).length === 2

/** The user with this id, or with this email in lower case. */
export type UserRef = { id: string } | { email: string }

const userRow = (q: Queries, which: UserRef) => {
  const users = q.selectFrom('users')
  return 'id' in which ? users.where('id', '=', which.id) : users.where('email', '=', which.email)
}

/** Locks this user's row until the transaction ends, and returns it. */
export async function lockUserIfAny(db: Db, tx: Queries, which: UserRef): Promise<UserRow | undefined> {
  const row = await lockRows(db, userRow(tx, which).select(userColumns)).executeTakeFirst()
  return row && readUser(row)
}

/** Like `lockUserIfAny`, but throws `missing()`, by default a 404, if there is no such user. */
export async function lockUser(
  db: Db,
  tx: Queries,
  which: UserRef,
  missing = () => notFound('User'),
): Promise<UserRow> {
  const user = await lockUserIfAny(db, tx, which)
  if (!user) throw missing()
  return user
}

/**
 * Locks all active admins, so that two changes can't each rely on an admin that the other removes. Returns the ids of
 * those with a password or an account at an offered provider: only they can be relied on.
 */
export async function lockAdmins(
  db: Db,
  tx: Queries,
  isOffered: (account: SignInMethod) => boolean,
): Promise<string[]> {
  const locked = (await lockRows(db, activeAdmins(tx).orderBy('id')).execute()).map(({ id }) => id)
  if (locked.length === 0) return []
  // Query links separately: after waiting for a lock, PostgreSQL still reads other tables as of before the wait.
  const links = await tx
    .selectFrom('provider_links')
    .select(['user_id', 'provider_id as providerId', 'account_id as accountId'])
    .where('user_id', 'in', locked)
    .execute()
  const working = links.filter((link) => link.providerId === credential || isOffered(link))
  return locked.filter((id) => working.some(({ user_id }) => user_id === id))
}
