import { auditAndNotify, signInChanged } from '../../notices/account-changes.ts'
import { mailChange, mailLink } from '../../notices/mail/store.ts'
import { changesBetween } from '../../people/audit/fields.ts'
import { isLost, reservedEmail } from '../../people/contract.ts'
import { callerIsGone, markEdited, takenField } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import { lockRows } from '../../platform/db/locks.ts'
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
  const { db, now, jobs, events } = context
  const isChanged = await transact(db, async (tx) => {
    const users = tx.selectFrom('users').select(['name', 'email', 'email_verified']).where('id', '=', userId)
    const before = await lockRows(db, users).executeTakeFirstOrThrow(callerIsGone)
    const { name = before.name, email = before.email } = body
    const isNew = email !== before.email
    const wasVerified = Boolean(before.email_verified)
    const after = { name, email, emailVerified: wasVerified && !isNew }
    const changes = changesBetween({ name: before.name, email: before.email, emailVerified: wasVerified }, after)
    if (changes.length === 0) return false
    if (isNew && isLost(email)) throw invalid('email', reservedEmail)
    if (isNew) checkEmail()
    const row = { name, email, email_verified: db.boolean(after.emailVerified) }
    try {
      await tx.updateTable('users').set(row).where('id', '=', userId).execute()
    } catch (error) {
      throw takenField(db, error, 'username') ?? error
    }
    await markEdited(db, tx, userId, { by: userId, at: now() })
    const target = { id: userId, name: before.email }
    await auditAndNotify(context, tx, now(), userId, { actor, action: 'user.edit', target, changes })
    if (!isNew) return true
    if (context.config.smtpUrl !== undefined) await mailLink(context, tx, { kind: 'email', userId, email })
    // Somebody else may own an address that was never confirmed.
    if (wasVerified) await mailChange(context, tx, before.email, { actor, userId })
    return true
  })
  if (!isChanged) return
  jobs.wake()
  events.publish(signInChanged(userId))
}
