import { createHash, createHmac, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { isLost } from '../../people/contract.ts'
import type { Context } from '../../platform/context.ts'
import { keyFor } from '../../platform/crypto/secrets.ts'
import type { Queries } from '../../platform/db/open.ts'
import { deleteInBatches } from '../../platform/db/rows/write.ts'
import type { Actor } from '../../platform/http/access/actor.ts'
import { days, hours, type Instant, type Milliseconds, minutes } from '../../shared/time.ts'
import type { NoticesConfig } from '../config.ts'
import { mailJob } from '../jobs.ts'

/** How long a mailed link works. */
export const linkLife: Milliseconds = minutes(30)
/** An address is mailed one link of a kind within this time. */
export const linkEvery: Milliseconds = hours(1)
/** How long mails are kept, and how long one is tried at most. */
export const mailsKept: Milliseconds = days(1)

export type LinkKind = 'password' | 'email'
type Whose = { kind: LinkKind; userId: string; email: string }
type MailContext = Pick<Context<NoticesConfig>, 'config' | 'jobs' | 'now'>

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

/** The token in a mail's link: the same at each attempt to send it, and stored nowhere. */
const tokenOf = (appSecret: string, mailId: string): string =>
  createHmac('sha256', keyFor(appSecret, 'links in mails')).update(mailId).digest('base64url')

/** The token of a stored mail, made with APP_SECRET or the previous one; undefined if it was made with neither. */
export const storedToken = (
  { appSecret, previousAppSecret }: Pick<Context['config'], 'appSecret' | 'previousAppSecret'>,
  { id, hash }: { id: string; hash: string | null },
): string | undefined =>
  [appSecret, previousAppSecret]
    .flatMap((secret) => (secret === undefined ? [] : [tokenOf(secret, id)]))
    .find((token) => hashOf(token) === hash)

/**
 * Has a new link mailed to a user's own address. If one was mailed within the last hour, answers when the next may be
 * instead. The caller has locked the user.
 */
export async function mailLink(
  context: MailContext,
  tx: Queries,
  { kind, userId, email }: Whose,
): Promise<{ wait: Milliseconds } | undefined> {
  const at = context.now()
  const last = await lastLink(tx, { kind, email })
  const isLost = last !== undefined && last.sent_at === null && last.expires_at <= at
  const wait = last && !isLost ? last.created_at + linkEvery - at : 0
  // Later than that means that the clock was set back.
  if (wait > 0 && wait <= linkEvery) return { wait }
  await addMail(context, tx, { kind, email, userId, expiresAt: at + linkLife })
  return undefined
}

/** Has an invitation mailed, and answers the token for its link. */
export const mailInvite = (
  context: MailContext,
  tx: Queries,
  { email, expiresAt }: { email: string; expiresAt: Instant },
): Promise<string> => addMail(context, tx, { kind: 'invite', email, userId: null, expiresAt })

type NewMail = {
  kind: 'password' | 'email' | 'invite' | 'changed'
  email: string
  userId: string | null
  details?: string
  expiresAt: Instant
}

/** Stores a mail and the job that sends it; answers the token for its link. */
async function addMail({ config, jobs, now }: MailContext, tx: Queries, mail: NewMail): Promise<string> {
  const { kind, email, userId, details = null, expiresAt } = mail
  const id = randomUUID()
  const token = tokenOf(config.appSecret, id)
  const hash = kind === 'changed' ? null : hashOf(token)
  const times = { created_at: now(), expires_at: expiresAt }
  await tx
    .insertInto('mail')
    .values({ id, kind, email, user_id: userId, details, hash, ...times })
    .execute()
  await jobs.add(mailJob(id, now()), tx)
  return token
}

/** The newest link of this kind that was made for an address. */
export const lastLink = (q: Queries, { kind, email }: Pick<Whose, 'kind' | 'email'>) =>
  q
    .selectFrom('mail')
    .selectAll()
    .where('email', '=', email)
    .where('kind', '=', kind)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()

/** What the mail to an address says that its user no longer has. */
export const EmailChange = z.object({
  at: z.int(),
  device: z.nullable(z.string()),
  address: z.nullable(z.string()),
  byAdmin: z.boolean(),
})
export type EmailChange = z.infer<typeof EmailChange>

/** Tells the former email of a user that there is another one now, if this server sends mail. */
export async function mailChange(
  context: MailContext,
  tx: Queries,
  email: string,
  { actor, userId }: { actor: Actor; userId: string },
): Promise<void> {
  if (context.config.smtpUrl === undefined || isLost(email)) return
  const at = context.now()
  const byAdmin = actor.id !== userId
  // Where admins are is nothing that users are told.
  const change: EmailChange = {
    at,
    byAdmin,
    device: byAdmin ? null : actor.device,
    address: byAdmin ? null : actor.address,
  }
  const details = JSON.stringify(change)
  await addMail(context, tx, { kind: 'changed', email, userId: null, details, expiresAt: at + mailsKept })
}

/** A link that still works, and the user whose address it was mailed to. */
export const workingLink = (q: Queries, { kind, token }: { kind: LinkKind; token: string }, now: Instant) =>
  q
    .selectFrom('mail')
    .innerJoin('users', (on) => on.onRef('users.id', '=', 'mail.user_id').onRef('users.email', '=', 'mail.email'))
    .select(['mail.id as mailId', 'users.id', 'users.name', 'users.email', 'users.status'])
    .select(['users.cred_username as username', 'users.email_verified'])
    .where('mail.hash', '=', hashOf(token))
    .where('mail.kind', '=', kind)
    .where('mail.used_at', 'is', null)
    .where('mail.expires_at', '>', now)
    .executeTakeFirst()

/** Ends all of a user's links of a kind. The caller has locked the user. */
export async function endLinks(
  tx: Queries,
  { kind, userId }: Pick<Whose, 'kind' | 'userId'>,
  at: Instant,
): Promise<void> {
  await tx
    .updateTable('mail')
    .set({ used_at: at })
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .execute()
}

/** Deletes mails older than a day; those of invitations say until these end whether they were mailed. */
export const deleteOldMails = (q: Queries, now: Instant): Promise<void> =>
  deleteInBatches(q, 'mail', {
    key: ['id'],
    where: sql`created_at <= ${now - mailsKept} and (kind <> 'invite' or expires_at <= ${now})`,
  })
