import { changesTo, editUser } from '../../admission/access/edit-user.ts'
import { signInChanged } from '../../notices/account-changes.ts'
import { mailChange, mailLink } from '../../notices/mail/store.ts'
import { isLost, reservedEmail } from '../../people/contract.ts'
import { callerIsGone, lockUser } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import { transact } from '../../platform/db/transact.ts'
import type { Actor } from '../../platform/http/access/actor.ts'
import { invalid } from '../../shared/http-error.ts'
import type { SignInConfig } from '../../sign-in/config.ts'
import type { OwnDetailsBody } from './contract.ts'

export type DetailsContext = Pick<Context<SignInConfig>, 'config' | 'db' | 'now' | 'jobs' | 'events' | 'notify'>

/**
 * Changes one's own name and email. A new email counts at once, unverified. If this server sends mail, a link that
 * confirms it is mailed to it, and the old one is told if it was confirmed. `checkEmail` may refuse a new email. Throws a
 * 400 if it is reserved, a 401 if the user was deleted meanwhile, a 409 if it is taken.
 */
export async function changeOwnDetails(
  context: DetailsContext,
  { actor, userId }: { actor: Actor; userId: string },
  body: OwnDetailsBody,
  checkEmail: () => void,
): Promise<void> {
  const { db, jobs, events } = context
  const isChanged = await transact(db, async (tx) => {
    const before = await lockUser(db, tx, { id: userId }, callerIsGone)
    const { name = before.name, email = before.email } = body
    const isNew = email !== before.email
    const to = { name, email, emailVerified: before.emailVerified && !isNew }
    const changes = changesTo(before, to)
    if (changes.length === 0) return false
    if (isNew && isLost(email)) throw invalid('email', reservedEmail)
    if (isNew) checkEmail()
    await editUser(context, tx, before, { to, actor, changes })
    if (!isNew) return true
    if (context.config.smtpUrl !== undefined) await mailLink(context, tx, { kind: 'email', userId, email })
    // Somebody else may own an address that was never confirmed.
    if (before.emailVerified) await mailChange(context, tx, before.email, { actor, userId })
    return true
  })
  if (!isChanged) return
  jobs.wake()
  events.publish(signInChanged(userId))
}
