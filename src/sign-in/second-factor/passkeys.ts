import { randomUUID } from 'node:crypto'
import { lockUser } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { countRows } from '../../platform/db/rows/read.ts'
import { transact } from '../../platform/db/transact.ts'
import type { Actor } from '../../platform/http/access/actor.ts'
import { callerDeleted, HttpError, notFound } from '../../shared/http-error.ts'
import { endSessions } from '../sessions.ts'
import { type OfferedProviders, otherMethodWorks, passkeyHost } from '../working-methods.ts'
import type { Passkey } from './contract.ts'
import { type Person, recordChange } from './factor.ts'

type StoreContext = Pick<Context, 'db' | 'now' | 'config' | 'notify'>
/** A WebAuthn credential; the public key is in base64url. */
type Credential = { id: string; publicKey: string; counter: number; transports: readonly string[] }

const mostPasskeys = 20

/** A user's passkeys, oldest first. */
export async function passkeysOf(
  { db, config }: Pick<StoreContext, 'db' | 'config'>,
  userId: string,
): Promise<Passkey[]> {
  const host = passkeyHost(config)
  const rows = await db.q
    .selectFrom('passkey')
    .select(['id', 'name', 'rp_id', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id, name, rp_id, ...times }) => ({ id, name, works: rp_id === host, ...times }))
}

export async function credentialsOf(q: Queries, userId: string) {
  const rows = await q
    .selectFrom('passkey')
    .select(['credential_id as id', 'transports'])
    .where('user_id', '=', userId)
    .execute()
  return rows.map(({ id, transports }) => ({ id, transports: transports === '' ? [] : transports.split(',') }))
}

export const passkeyBy = ({ db, config }: StoreContext, credentialId: string) =>
  db.q
    .selectFrom('passkey')
    .select(['id', 'user_id as userId', 'public_key as publicKey', 'counter'])
    .where('credential_id', '=', credentialId)
    .where('rp_id', '=', passkeyHost(config))
    .executeTakeFirst()

/** Adds a passkey. Throws a 409 if the user has reached the limit, or if it is registered already. */
export async function addPasskey(
  context: StoreContext,
  actor: Actor,
  owner: Person,
  name: string,
  credential: Credential,
): Promise<Passkey> {
  const { db, now, config } = context
  const row = {
    id: randomUUID(),
    user_id: owner.id,
    rp_id: passkeyHost(config),
    credential_id: credential.id,
    public_key: credential.publicKey,
    counter: credential.counter,
    transports: credential.transports.join(','),
    name,
    created_at: now(),
    last_used_at: null,
  }
  await transact(db, async (tx) => {
    await lockUser(db, tx, { id: owner.id }, callerDeleted)
    if ((await countRows(tx.selectFrom('passkey').where('user_id', '=', owner.id))) >= mostPasskeys)
      throw new HttpError(409, `You can have up to ${mostPasskeys} passkeys. Delete one first.`)
    const added = await tx
      .insertInto('passkey')
      .values(row)
      .onConflict((on) => on.column('credential_id').doNothing())
      .executeTakeFirst()
    if (added.numInsertedOrUpdatedRows !== 1n) throw new HttpError(409, 'This passkey is already in use.')
    await recordChange(context, tx, actor, 'passkey.create', owner, [{ field: 'passkey', from: null, to: name }])
  })
  return { id: row.id, name, works: true, createdAt: row.created_at, lastUsedAt: null }
}

/** Renames one of a user's passkeys. Throws a 404 if it isn't theirs. */
export async function renamePasskey({ db }: Pick<StoreContext, 'db'>, userId: string, id: string, name: string) {
  const { numUpdatedRows } = await db.q
    .updateTable('passkey')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw notFound('Passkey')
}

/** Deletes one of a user's passkeys. Throws a 404 if it isn't theirs, a 409 for the last working method. */
export async function deletePasskey(
  context: StoreContext,
  offered: OfferedProviders,
  actor: Actor,
  owner: Person,
  id: string,
): Promise<void> {
  const { db, config } = context
  await transact(db, async (tx) => {
    await lockUser(db, tx, { id: owner.id }, callerDeleted)
    const own = await tx
      .selectFrom('passkey')
      .select(['name', 'rp_id'])
      .where('id', '=', id)
      .where('user_id', '=', owner.id)
      .executeTakeFirst()
    if (!own) throw notFound('Passkey')
    const works = own.rp_id === passkeyHost(config)
    if (works && !(await otherMethodWorks(tx, { config, offered }, owner.id, { passkeyId: id })))
      throw new HttpError(409, "You can't delete your only sign-in method. Link another one first.")
    await tx.deleteFrom('passkey').where('id', '=', id).execute()
    await recordChange(context, tx, actor, 'passkey.delete', owner, [{ field: 'passkey', from: own.name, to: null }])
  })
}

export const recordPasskeyUse = ({ db, now }: Pick<StoreContext, 'db' | 'now'>, id: string, counter: number) =>
  db.q.updateTable('passkey').set({ counter, last_used_at: now() }).where('id', '=', id).execute()

/**
 * For a lost or stolen device: removes a user's second factors and ends the sessions, but keeps passkeys that are the
 * only sign-in method. Throws a 404 for an unknown user, a 409 if there is nothing to remove.
 */
export async function resetSecondFactor(
  context: StoreContext,
  offered: OfferedProviders,
  actor: Actor,
  userId: string,
): Promise<void> {
  const { db, config } = context
  await transact(db, async (tx) => {
    const user = await lockUser(db, tx, { id: userId })
    const dropsPasskeys = await otherMethodWorks(tx, { config, offered }, userId, 'any passkey')
    const app = await tx.deleteFrom('second_factor').where('user_id', '=', userId).executeTakeFirst()
    const passkeys = tx.deleteFrom('passkey').where('user_id', '=', userId)
    const dropped = dropsPasskeys ? Number((await passkeys.executeTakeFirst()).numDeletedRows) : 0
    if (app.numDeletedRows === 0n && dropped === 0)
      throw new HttpError(409, 'This user has no two-step sign-in to reset.')
    await endSessions(tx, userId, { keep: undefined })
    const changes = dropped > 0 ? [{ field: 'passkeys', from: dropped, to: 0 }] : []
    await recordChange(context, tx, actor, 'factor.reset', user, changes)
  })
}
