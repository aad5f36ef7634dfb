import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Db, Queries } from '../server/db/open.ts'
import type { AuthInstant } from '../server/db/tables.ts'
import { type Fault, taken } from '../shared/fault.ts'
import type { Instant } from '../shared/time.ts'
import { Active, Roles, type SessionUser } from '../shared/user.ts'
import { credentialsProvider } from './contract.ts'

/** The provider id Better Auth gives to passwords; people see another. */
const credential = 'credential'

/** An instant as the tables of users and sessions keep it. */
export const toAuthInstant = (kind: Db['kind'], at: Instant): AuthInstant =>
  kind === 'sqlite' ? new Date(at).toISOString() : new Date(at)
export const fromAuthInstant = (at: AuthInstant): Instant => new Date(at).getTime()

export const toAuthBoolean = (kind: Db['kind'], yes: boolean): boolean | 0 | 1 =>
  kind === 'sqlite' ? (yes ? 1 : 0) : yes

const Tags = z.array(z.string())
export const parseTags = (text: string) => Tags.parse(JSON.parse(text))
/** A role that was never given is level 0. */
export const parseRoles = (text: string) => Roles.parse({ Admin: 0, Tools: 0, ...JSON.parse(text) })

export type NewUser = {
  name: string
  email: string
  emailVerified: boolean
  /** A user name may wait for its password. */
  credentials?: { username: string; hash?: string | undefined } | undefined
  roles: Roles
  tags?: readonly string[] | undefined
  status?: number | undefined
}

/** What a body calls the user name: the user's record, or a form of its own. */
export type UsernameField = 'username' | 'credUsername'

/** Makes a user and answers the id. Throws a 409 that names the field, as the caller's body calls it, when the e-mail or user name is taken. */
export async function createUser(
  db: Db,
  q: Queries,
  user: NewUser,
  now: Instant,
  usernameField: UsernameField = 'username',
): Promise<string> {
  const id = randomUUID()
  const at = toAuthInstant(db.kind, now)
  try {
    await q
      .insertInto('users')
      .values({
        id,
        name: user.name,
        email: user.email,
        email_verified: toAuthBoolean(db.kind, user.emailVerified),
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
  if (user.credentials?.hash) await setPassword(db, q, id, user.credentials.hash, now)
  return id
}

/** The 409 behind a unique violation among users; undefined for any other error. */
export function takenField(db: Db, error: unknown, usernameField: UsernameField): Fault | undefined {
  const what = db.uniqueViolation(error)
  if (what?.includes('cred_username')) return taken(usernameField, 'This user name is taken.')
  if (what?.includes('email')) return taken('email', 'This e-mail address is taken.')
  return undefined
}

/** Keeps the hash of a new password; the user's sessions are the caller's to end, in the same transaction. */
export async function setPassword(db: Db, q: Queries, userId: string, hash: string, now: Instant): Promise<void> {
  const at = toAuthInstant(db.kind, now)
  const link = { id: randomUUID(), provider_id: credential, account_id: userId, user_id: userId, password: hash }
  await q
    .insertInto('provider_links')
    .values({ ...link, ...noTokens, account_username: null, created_at: at, updated_at: at })
    .onConflict((on) => on.columns(['provider_id', 'account_id']).doUpdateSet({ password: hash, updated_at: at }))
    .execute()
}

/** Takes a way in from a user: an account at a provider, or the password. */
export async function dropProvider(
  q: Queries,
  userId: string,
  { providerId, accountId }: { providerId: string; accountId: string },
): Promise<void> {
  await q
    .deleteFrom('provider_links')
    .where('user_id', '=', userId)
    .where('provider_id', '=', providerId === credentialsProvider ? credential : providerId)
    .where('account_id', '=', accountId)
    .execute()
}

const noTokens = {
  access_token: null,
  refresh_token: null,
  id_token: null,
  access_token_expires_at: null,
  refresh_token_expires_at: null,
  scope: null,
}

/** The kept hash of a user's password; undefined when there is none. */
export async function passwordHash(q: Queries, userId: string): Promise<string | undefined> {
  const row = await q
    .selectFrom('provider_links')
    .select('password')
    .where('user_id', '=', userId)
    .where('provider_id', '=', credential)
    .executeTakeFirst()
  return row?.password ?? undefined
}

/** The user with this user name in lower case, and whether a password goes with it. */
export const userByUsername = (q: Queries, username: string) =>
  q
    .selectFrom('users')
    .leftJoin('provider_links as link', (on) =>
      on.onRef('link.user_id', '=', 'users.id').on('link.provider_id', '=', credential),
    )
    .select(['users.id', 'users.name', 'users.email', 'link.password'])
    .where('users.cred_username', '=', username)
    .executeTakeFirst()

export const userById = (q: Queries, id: string) =>
  q
    .selectFrom('users')
    .select(['id', 'name', 'email', 'cred_username', 'status'])
    .where('id', '=', id)
    .executeTakeFirst()

/** A user as every screen knows the one who is signed in. */
export async function sessionUser(q: Queries, id: string): Promise<SessionUser> {
  const row = await q
    .selectFrom('users')
    .select(['id', 'name', 'email', 'status', 'tags', 'roles', 'cred_username'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { cred_username: credUsername, ...user } = row
  const providers = await providersOf(q, { id, credUsername })
  return { ...user, tags: parseTags(row.tags), roles: parseRoles(row.roles), providers, credUsername }
}

/** A user's providers as people see them; the user name of a password is the one to sign in with. */
export async function providersOf(
  q: Queries,
  { id, credUsername }: Pick<SessionUser, 'id' | 'credUsername'>,
): Promise<SessionUser['providers']> {
  const rows = await q
    .selectFrom('provider_links')
    .select(['provider_id', 'account_id', 'account_username'])
    .where('user_id', '=', id)
    .orderBy('provider_id')
    .execute()
  return rows
    .map((row) =>
      row.provider_id === credential
        ? { providerId: credentialsProvider, accountId: row.account_id, accountUsername: credUsername }
        : { providerId: row.provider_id, accountId: row.account_id, accountUsername: row.account_username },
    )
    .sort((a, b) => a.providerId.localeCompare(b.providerId))
}

/** Everybody who may sign in and administer. */
export const activeAdmins = (q: Queries) =>
  q
    .selectFrom('users')
    .select('id')
    .where('status', '=', Active)
    // Roles are written by JSON.stringify, so this is how level 2 looks.
    .where('roles', 'like', '%"Admin":2%')

/** Whether somebody may administer: without one, the set-up link makes the first. */
export const hasAdmin = async (q: Queries): Promise<boolean> =>
  (await activeAdmins(q).limit(1).executeTakeFirst()) !== undefined
