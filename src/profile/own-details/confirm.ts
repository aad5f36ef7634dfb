import { signInChanged } from '../../notices/account-changes.ts'
import { endLinks, lastLink, linkEvery, mailLink, workingLink } from '../../notices/mail/store.ts'
import { writeAudit } from '../../people/audit/log.ts'
import { isLost } from '../../people/contract.ts'
import { callerIsGone } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import { lockRows } from '../../platform/db/locks.ts'
import type { Queries } from '../../platform/db/open.ts'
import type { Actor } from '../../platform/http/access/actor.ts'
import { HttpError } from '../../shared/http-error.ts'
import { minutes, seconds } from '../../shared/time.ts'
import type { OwnEmail } from './contract.ts'
import type { DetailsContext } from './edit.ts'

export const alreadyConfirmed = 'Your email is already confirmed.'
export const alreadyMailed = 'A link was sent to this email within the last hour. Check your spam folder.'
export const noEmail = 'Your account has no email. Enter one first.'
export const noMail = "This server doesn't send email."
export const linkIsOver = 'This link has expired or was already used. Send a new one from your profile.'
export const linkOfOther = "This link is for a different user. Sign in with that user's account and open it again."

/** The user's email, and what became of the link that confirms it. */
export async function ownEmail(q: Queries, userId: string): Promise<OwnEmail> {
  const { email, verified } = await emailOf(q, userId)
  const row = verified ? undefined : await lastLink(q, { kind: 'email', email })
  const link = row?.user_id === userId ? row : undefined
  return {
    email,
    verified,
    link: link
      ? {
          at: link.created_at,
          sentAt: link.sent_at,
          expiresAt: link.expires_at,
          // One that never left counts for nothing once it is over.
          nextAt: link.sent_at === null ? link.expires_at : link.created_at + linkEvery,
          note: link.note,
        }
      : null,
  }
}

async function emailOf(q: Queries, userId: string) {
  const users = q.selectFrom('users').select(['email', 'email_verified']).where('id', '=', userId)
  const { email, email_verified } = await users.executeTakeFirstOrThrow(callerIsGone)
  return { email, verified: Boolean(email_verified) }
}

/** Mails the user a link that confirms their email. Throws a 409 if there is nothing to confirm, a 429 if one was mailed within the hour. */
export async function askToConfirm(context: DetailsContext, userId: string): Promise<void> {
  const { db, config, jobs } = context
  if (config.smtpUrl === undefined) throw new HttpError(409, noMail)
  await db.q.transaction().execute(async (tx) => {
    await lockRows(db, tx.selectFrom('users').select('id').where('id', '=', userId)).execute()
    const { email, verified } = await emailOf(tx, userId)
    if (verified) throw new HttpError(409, alreadyConfirmed)
    if (isLost(email)) throw new HttpError(409, noEmail)
    const refused = await mailLink(context, tx, { kind: 'email', userId, email })
    if (!refused) return
    const left = Math.ceil(refused.wait / minutes(1))
    const again = left === 1 ? 'a minute' : `${left} minutes`
    throw new HttpError(429, `${alreadyMailed} You can send another in ${again}.`, {
      retryAfter: refused.wait / seconds(1),
    })
  })
  jobs.wake()
}

/**
 * Marks the user's email as verified by the token that was mailed to it, and answers it. Only its own user may, who is
 * signed in: whoever owns an address that somebody else has entered must not confirm it by mistake. Throws a 403 if the
 * link no longer works.
 */
export async function confirmEmail(
  { db, now, events }: Pick<Context, 'db' | 'now' | 'events'>,
  { actor, userId }: { actor: Actor; userId: string },
  token: string,
): Promise<string> {
  const email = await db.q.transaction().execute(async (tx) => {
    await lockRows(db, tx.selectFrom('users').select('id').where('id', '=', userId)).execute()
    const found = await workingLink(tx, { kind: 'email', token }, now())
    if (!found) throw new HttpError(403, linkIsOver)
    if (found.id !== userId) throw new HttpError(403, linkOfOther)
    await endLinks(tx, { kind: 'email', userId }, now())
    if (found.email_verified) return found.email
    await tx
      .updateTable('users')
      .set({ email_verified: db.boolean(true) })
      .where('id', '=', userId)
      .execute()
    const target = { id: userId, name: found.email }
    const changes = [{ field: 'emailVerified', from: false, to: true }]
    await writeAudit(tx, now(), { actor, action: 'user.edit', target, changes })
    return found.email
  })
  events.publish(signInChanged(userId))
  return email
}
