import { randomUUID } from 'node:crypto'
import type { Db, Queries } from '../platform/db/open.ts'
import { countRows } from '../platform/db/rows/read.ts'
import { HttpError } from '../shared/http-error.ts'
import type { Instant } from '../shared/time.ts'
import type { SessionUser, SignInMethod } from '../shared/user.ts'
import { credentialsProvider } from './contract.ts'

/** Better Auth's provider id for passwords; the API uses `credentialsProvider` instead. */
export const credential = 'credential'

/** A stored password: its hash, and when an admin or the operator set it; null if the user chose it. */
type StoredPassword = { hash: string; givenAt: Instant | null }

const mostAccounts = 20

/** Links an account at a provider to a user. Throws a 400 if the user has reached the limit. */
export async function linkAccount(
  db: Db,
  tx: Queries,
  userId: string,
  account: SignInMethod & { accountUsername: string },
  now: Instant,
): Promise<void> {
  if ((await countRows(tx.selectFrom('provider_links').where('user_id', '=', userId))) >= mostAccounts)
    throw new HttpError(400, `You can link up to ${mostAccounts} accounts. Unlink one first.`)
  await insertLink(db, tx, userId, account, now).execute()
}

/** Stores the hash of a new password; the caller must end the user's sessions in the same transaction. */
export async function setPassword(
  db: Db,
  tx: Queries,
  userId: string,
  { hash: password, givenAt: password_given_at }: StoredPassword,
  now: Instant,
): Promise<void> {
  const account = { providerId: credential, accountId: userId, accountUsername: null }
  const update = { password, password_given_at, updated_at: db.timestamp(now) }
  await insertLink(db, tx, userId, account, now, { password, password_given_at })
    .onConflict((on) => on.columns(['provider_id', 'account_id']).doUpdateSet(update))
    .execute()
}

/** Stores no tokens, since the provider isn't called again after sign-in. */
function insertLink(
  db: Db,
  tx: Queries,
  userId: string,
  { providerId, accountId, accountUsername }: SignInMethod & { accountUsername: string | null },
  now: Instant,
  columns: { password?: string; password_given_at?: Instant | null } = {},
) {
  const at = db.timestamp(now)
  return tx.insertInto('provider_links').values({
    id: randomUUID(),
    provider_id: providerId,
    account_id: accountId,
    account_username: accountUsername,
    user_id: userId,
    ...columns,
    created_at: at,
    updated_at: at,
  })
}

export async function removeSignInMethod(
  tx: Queries,
  userId: string,
  { providerId, accountId }: SignInMethod,
): Promise<void> {
  await tx
    .deleteFrom('provider_links')
    .where('user_id', '=', userId)
    .where('provider_id', '=', providerId === credentialsProvider ? credential : providerId)
    .where('account_id', '=', accountId)
    .execute()
}

export async function storedPasswordOf(q: Queries, userId: string): Promise<StoredPassword | undefined> {
  const row = await q
    .selectFrom('provider_links')
    .select(['password', 'password_given_at'])
    .where('user_id', '=', userId)
    .where('provider_id', '=', credential)
    .executeTakeFirst()
  return row?.password ? { hash: row.password, givenAt: row.password_given_at } : undefined
}

/** The user with this lower-case username, and the hash of their password, if any. */
export const userByUsername = (q: Queries, username: string) =>
  q
    .selectFrom('users')
    .leftJoin('provider_links as link', (on) =>
      on.onRef('link.user_id', '=', 'users.id').on('link.provider_id', '=', credential),
    )
    .select(['users.id', 'users.name', 'users.email', 'link.password'])
    .where('users.cred_username', '=', username)
    .executeTakeFirst()

/** A user's providers as the API returns them; for a password, `accountUsername` is the username to sign in with. */
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
