import { auditAndNotify, signInChanged } from '../notices/account-changes.ts'
import { accountName } from '../people/audit/fields.ts'
import { credentialsProvider } from '../people/contract.ts'
import { providersOf, removeSignInMethod } from '../people/sign-in-methods.ts'
import { callerIsGone, lockUser, saveUser } from '../people/store.ts'
import type { Context } from '../platform/context.ts'
import type { Actor } from '../platform/http/access/actor.ts'
import { HttpError, notFound } from '../shared/http-error.ts'
import { isSameMethod, type SignInMethod } from '../shared/user.ts'
import type { Provider } from '../sign-in/providers/provider.ts'
import { otherMethodWorks } from '../sign-in/working-methods.ts'

/** Removes one of a user's sign-in methods. Throws a 404 if it isn't the user's, a 409 if no working one would remain. */
export async function unlink(
  { db, now, events, config, notify }: Pick<Context, 'db' | 'now' | 'events' | 'config' | 'notify'>,
  offered: readonly Provider[],
  { actor, userId }: { actor: Actor; userId: string },
  method: SignInMethod,
): Promise<void> {
  await db.q.transaction().execute(async (tx) => {
    // Two simultaneous calls must not each count on the method that the other removes.
    const user = await lockUser(db, tx, { id: userId }, callerIsGone)
    const links = await providersOf(tx, user)
    const link = links.find((other) => isSameMethod(other, method))
    if (!link) throw notFound('Provider')
    if (!(await otherMethodWorks(tx, { config, offered }, userId, method)))
      throw new HttpError(409, 'This is your only sign-in method. Link another one first.')
    await removeSignInMethod(tx, userId, method)
    const dropped = method.providerId === credentialsProvider ? { credUsername: null } : {}
    await saveUser(db, tx, userId, dropped, { by: actor.id, at: now() })
    await auditAndNotify({ notify }, tx, now(), userId, {
      actor,
      action: 'provider.unlink',
      target: { id: userId, name: user.email },
      changes: [{ field: 'providers', from: accountName(link), to: null }],
    })
  })
  events.publish(signInChanged(userId))
}
