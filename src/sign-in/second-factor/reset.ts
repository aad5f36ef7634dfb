import { auditAndNotify } from '../../notices/account-changes.ts'
import { lockUser } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Actor } from '../../platform/http/access/actor.ts'
import { HttpError } from '../../shared/http-error.ts'
import { endSessions } from '../sessions.ts'
import { type Offered, otherMethodWorks } from '../working-methods.ts'

/**
 * Removes a user's authenticator app and passkeys, and ends their sessions: for a lost or stolen device. Passkeys stay if
 * they are the only way to sign in. Throws a 404 for an unknown user, a 409 if there is nothing to remove. `offered` are
 * the configured providers.
 */
export async function resetSecondFactor(
  { db, now, config, notify }: Pick<Context, 'db' | 'now' | 'config' | 'notify'>,
  offered: Offered,
  actor: Actor,
  userId: string,
): Promise<void> {
  await db.q.transaction().execute(async (tx) => {
    const user = await lockUser(db, tx, { id: userId })
    const dropsPasskeys = await otherMethodWorks(tx, { config, offered }, userId, 'any passkey')
    const app = await tx.deleteFrom('second_factor').where('user_id', '=', userId).executeTakeFirst()
    const passkeys = tx.deleteFrom('passkey').where('user_id', '=', userId)
    const dropped = dropsPasskeys ? Number((await passkeys.executeTakeFirst()).numDeletedRows) : 0
    if (app.numDeletedRows === 0n && dropped === 0)
      throw new HttpError(409, 'This user has no two-step sign-in to reset.')
    await endSessions(tx, userId, { keep: undefined })
    await auditAndNotify({ notify }, tx, now(), userId, {
      actor,
      action: 'factor.reset',
      target: { id: userId, name: user.email },
      changes: [{ field: 'passkeys', from: dropped, to: 0 }].filter(({ from }) => from > 0),
    })
  })
}
