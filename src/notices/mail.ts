import { createHmac, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import { isPlaceholderEmail } from '../people/contract.ts'
import { storedPasswordOf } from '../people/sign-in-methods.ts'
import type { Context } from '../platform/context.ts'
import { hashOf, keyFor } from '../platform/crypto/secrets.ts'
import { lockRows } from '../platform/db/locks.ts'
import type { Queries } from '../platform/db/open.ts'
import { deleteInBatches } from '../platform/db/rows/write.ts'
import { transact } from '../platform/db/transact.ts'
import type { Actor } from '../platform/http/access/actor.ts'
import type { Job } from '../platform/jobs/job.ts'
import type { Running } from '../platform/jobs/worker/worker.ts'
import { quote } from '../platform/notice.ts'
import { once } from '../shared/async.ts'
import { days, hours, type Instant, type Milliseconds, minutes, seconds } from '../shared/time.ts'
import { Active } from '../shared/user.ts'
import { breakLinks } from './channels/message.ts'
import { sendMail } from './channels/sending/mail.ts'
import { endJob, postponeJob, type Sent, waitOf } from './channels/sending/outcome.ts'
import type { Mail } from './channels/types/channel-type.ts'
import type { NoticesConfig } from './config.ts'
import { mailJob } from './jobs.ts'

const linkLife: Milliseconds = minutes(30)
/** An address gets at most one link of each kind within this time. */
export const linkInterval: Milliseconds = hours(1)
/** How long mails are kept, which also limits how long sending is retried. */
const mailsKept: Milliseconds = days(1)

type LinkKind = 'password' | 'email'
type LinkOwner = { kind: LinkKind; userId: string; email: string }
type QueueMailContext = Pick<Context<NoticesConfig>, 'config' | 'jobs' | 'now'>

/** The token in a mail's link: derived, so that it is the same at each attempt without being stored. */
const tokenOf = (appSecret: string, mailId: string): string =>
  createHmac('sha256', keyFor(appSecret, 'links in mails')).update(mailId).digest('base64url')

/** The token of a stored mail, derived from APP_SECRET or the previous one; undefined if neither matches. */
const storedToken = (
  { appSecret, previousAppSecret }: Pick<Context['config'], 'appSecret' | 'previousAppSecret'>,
  { id, hash }: { id: string; hash: string | null },
): string | undefined =>
  [appSecret, previousAppSecret]
    .flatMap((secret) => (secret === undefined ? [] : [tokenOf(secret, id)]))
    .find((token) => hashOf(token) === hash)

/** Queues a link, or returns the wait if the last one is less than an hour old. Lock the user first. */
export async function queueLinkMail(
  context: QueueMailContext,
  tx: Queries,
  { kind, userId, email }: LinkOwner,
): Promise<{ wait: Milliseconds } | undefined> {
  const at = context.now()
  const last = await lastLink(tx, { kind, email })
  const wasNeverSent = last !== undefined && last.sent_at === null && last.expires_at <= at
  const wait = last && !wasNeverSent ? last.created_at + linkInterval - at : 0
  // A longer wait means that the clock was set back.
  if (wait > 0 && wait <= linkInterval) return { wait }
  await addMail(context, tx, { kind, email, userId, expiresAt: at + linkLife })
  return undefined
}

/** Returns the token for the mail's link. */
export const queueInviteMail = (
  context: QueueMailContext,
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

/** Returns the token for the mail's link. */
async function addMail({ config, jobs, now }: QueueMailContext, tx: Queries, mail: NewMail): Promise<string> {
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

export const lastLink = (q: Queries, { kind, email }: Pick<LinkOwner, 'kind' | 'email'>) =>
  q
    .selectFrom('mail')
    .selectAll()
    .where('email', '=', email)
    .where('kind', '=', kind)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()

/** The details in the mail to a user's former address. */
const EmailChange = z.object({
  at: z.int(),
  device: z.nullable(z.string()),
  address: z.nullable(z.string()),
  byAdmin: z.boolean(),
})
type EmailChange = z.infer<typeof EmailChange>

/** Notifies a user's former address that the email was changed, if this server sends mail. */
export async function queueEmailChangeMail(
  context: QueueMailContext,
  tx: Queries,
  email: string,
  { actor, userId }: { actor: Actor; userId: string },
): Promise<void> {
  if (context.config.smtpUrl === undefined || isPlaceholderEmail(email)) return
  const at = context.now()
  const byAdmin = actor.id !== userId
  // Users must not learn an admin's device and address.
  const change: EmailChange = {
    at,
    byAdmin,
    device: byAdmin ? null : actor.device,
    address: byAdmin ? null : actor.address,
  }
  const details = JSON.stringify(change)
  await addMail(context, tx, { kind: 'changed', email, userId: null, details, expiresAt: at + mailsKept })
}

/** The valid link with this token, and the user whose address it was mailed to. */
export const validLink = (q: Queries, { kind, token }: { kind: LinkKind; token: string }, now: Instant) =>
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

/** The caller must have locked the user. */
export async function endLinks(
  tx: Queries,
  { kind, userId }: Pick<LinkOwner, 'kind' | 'userId'>,
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

/** Deletes mails older than a day. Those of invitations are kept until they expire, to show whether they were sent. */
export const deleteOldMails = (q: Queries, now: Instant): Promise<void> =>
  deleteInBatches(q, 'mail', {
    key: ['id'],
    where: sql`created_at <= ${now - mailsKept} and (kind <> 'invite' or expires_at <= ${now})`,
  })

type MailJobContext = Context<NoticesConfig>

const retries: readonly Milliseconds[] = [seconds(5), seconds(30), minutes(1), minutes(2), minutes(4)]
const longestWait = minutes(5)
/** A link with less time left is no longer mailed. */
const shortestLife = minutes(3)

/** Queues a reset link if the user with this email is active, has a confirmed address, and signs in with a password. */
export async function queueResetLink(context: MailJobContext, job: Job, email: string): Promise<Sent> {
  const { db, jobs } = context
  await transact(db, async (tx) => {
    const users = tx.selectFrom('users').select(['id', 'status', 'email_verified', 'cred_username'])
    const user = await lockRows(db, users.where('email', '=', email)).executeTakeFirst()
    if (!user || user.status !== Active || !user.email_verified || user.cred_username === null) return
    if (!(await storedPasswordOf(tx, user.id))) return
    await queueLinkMail(context, tx, { kind: 'password', userId: user.id, email })
  })
  jobs.wake()
  return endJob(job)
}

/** Sends a mail; reschedules its job after a temporary failure. */
export async function deliverMail(
  context: MailJobContext,
  job: Job,
  id: string,
  { now, holdsLease }: Running,
): Promise<Sent> {
  const { db, config, log, metrics } = context
  const mail = await composeMail(context, id)
  if (!mail) return endJob(job)
  // If the lease was lost, another instance may be sending the mail.
  if (!holdsLease()) return postponeJob(job, now())
  const outcome = await sendMail(config, mail, `mail_${id}`)
  metrics.messages.inc({ type: 'account', outcome: outcome.kind })
  const row = db.q.updateTable('mail').where('id', '=', id)
  if (outcome.kind === 'accepted') {
    // Immediately, not together with the job's end: a restart in between must not resend the mail.
    await transact(db, async (tx) => {
      const sent = tx.updateTable('mail').set({ sent_at: context.now(), note: null }).where('id', '=', id)
      const { hash = null } = (await sent.returning('hash').executeTakeFirst()) ?? {}
      // Backups omit mails, so an invitation itself stores that its link was mailed.
      if (hash !== null) await tx.updateTable('invite').set({ mailed: 1 }).where('hash', '=', hash).execute()
    })
    return endJob(job)
  }
  const note = 'note' in outcome ? outcome.note : null
  log.warn({ mail: id, note }, 'Failed to send an email about an account')
  if (outcome.kind === 'refused') {
    await row.set({ note, expires_at: context.now() }).execute()
    return endJob(job)
  }
  await row.set({ note }).execute()
  const wait = Math.max(waitOf(outcome), retries[job.attempt] ?? longestWait)
  return postponeJob(job, now() + wait, job.attempt + 1)
}

/** Undefined if the mail was sent already or is obsolete. */
async function composeMail({ db, config, now }: MailJobContext, id: string): Promise<Mail | undefined> {
  const row = await db.q
    .selectFrom('mail')
    .leftJoin('users', 'users.id', 'mail.user_id')
    .selectAll('mail')
    .select(['users.email as present', 'users.cred_username as username', 'users.status'])
    .where('mail.id', '=', id)
    .executeTakeFirst()
  const at = now()
  if (!row || row.sent_at !== null || row.used_at !== null || row.expires_at <= at) return undefined
  // Invitations may be valid for a year, but their mails are only tried for a day.
  if (row.created_at + mailsKept <= at) return undefined
  const to = row.email
  if (row.kind === 'changed')
    return { to, ...emailChangedMail(config, EmailChange.parse(JSON.parse(row.details ?? 'null'))) }
  const timeLeft = row.expires_at - at
  const token = timeLeft < shortestLife ? undefined : storedToken(config, row)
  if (token === undefined) return undefined
  const link = { baseUrl: config.baseUrl, token, timeLeft }
  if (row.kind === 'invite') return { to, ...inviteMail(link, row.expires_at) }
  if (row.present !== row.email || row.status !== Active) return undefined
  if (row.kind === 'email') return { to, ...confirmationMail(link) }
  return row.username === null ? undefined : { to, ...passwordMail(link, row.username) }
}

type Link = { baseUrl: string; token: string; timeLeft: Milliseconds }
type MailText = Omit<Mail, 'to'>

const textOf = (...paragraphs: string[]) => `${paragraphs.join('\n\n')}\n`

/** Added to the time left before rounding down, so that a mail states 30 minutes instead of 29. */
const roundingSlack = seconds(20)

/** A link's remaining life in whole minutes, rounded down after adding `roundingSlack`. */
const formatTimeLeft = (timeLeft: Milliseconds) => {
  const wholeMinutes = Math.max(1, Math.floor((timeLeft + roundingSlack) / minutes(1)))
  return wholeMinutes === 1 ? '1 minute' : `${wholeMinutes} minutes`
}

export const passwordMail = ({ baseUrl, token, timeLeft }: Link, username: string): MailText => ({
  subject: 'Reset your ToolBox password',
  text: textOf(
    `Someone, probably you, asked to reset the password of your account at ${baseUrl}.`,
    `Open this link within ${formatTimeLeft(timeLeft)} to choose a new password. It works once:`,
    `${baseUrl}/auth/reset#${token}`,
    `Your username is ${username}.`,
    "If it wasn't you, ignore this email: your password stays the same.",
  ),
})

/** Contains no text that the user who entered the address could choose. */
const confirmationMail = ({ baseUrl, token, timeLeft }: Link): MailText => ({
  subject: 'Confirm your email for ToolBox',
  text: textOf(
    `This address was entered as the email of an account at ${baseUrl}.`,
    `If it's your account, sign in there and open this link within ${formatTimeLeft(timeLeft)}. It works once:`,
    `${baseUrl}/user/verify-email#${token}`,
    "If it isn't, ignore this email: the address stays unconfirmed.",
  ),
})

const inviteMail = ({ baseUrl, token }: Link, expiresAt: Instant): MailText => ({
  subject: "You're invited to ToolBox",
  text: textOf(
    `You're invited to ToolBox at ${baseUrl}.`,
    `Open this link by ${new Date(expiresAt).toUTCString()} to join. It is only for you:`,
    `${baseUrl}/auth/invite#${token}`,
    "If you don't know what this is about, ignore this email.",
  ),
})

const utcFormat = once(
  () => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
)

export function emailChangedMail(
  { baseUrl }: Pick<Link, 'baseUrl'>,
  { at, device, address, byAdmin }: EmailChange,
): MailText {
  // The device's name is untrusted: any program can choose its own.
  const named = device === null ? [] : [breakLinks(quote(device))]
  const from = [...named, ...(address === null ? [] : [address])].join(', ')
  const who = byAdmin ? 'by an admin' : from && `from ${from}`
  return {
    subject: 'The email of your ToolBox account was changed',
    text: textOf(
      `Your account at ${baseUrl} has a different email now, so nothing more will be sent to this address.`,
      `It was changed on ${utcFormat().format(at)} UTC${who ? ` ${who}` : ''}.`,
      `If it wasn't you, sign in at ${baseUrl}/user, change the email back and choose a new password. If you can't sign in, ask an admin of that server.`,
    ),
  }
}
