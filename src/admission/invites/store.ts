import { randomBytes, randomUUID } from 'node:crypto'
import { type SqlBool, sql } from 'kysely'
import { commandLine } from '../../people/audit/log.ts'
import { parseRoles, parseTags } from '../../people/store.ts'
import { hashOf } from '../../platform/crypto/secrets.ts'
import type { Queries } from '../../platform/db/open.ts'
import { countRows, exists } from '../../platform/db/rows/read.ts'
import { deleteInBatches } from '../../platform/db/rows/write.ts'
import { HttpError, notFound } from '../../shared/http-error.ts'
import { days, type Instant, type Milliseconds } from '../../shared/time.ts'
import { Active, type Roles } from '../../shared/user.ts'
import type { Invite } from './contract.ts'

/** How long an ended invitation is kept, so that its link can show why it no longer works. */
const endedInvitesKeptFor: Milliseconds = days(30)
const mostOpen = 1_000

type InviteState = Invite['state'] | 'revoked'
export type StoredInvite = Omit<Invite, 'state'> & { state: InviteState }
/** `createdBy` is the id of an admin, or null for the command line. */
export type NewInvite = {
  roles: Roles
  tags: readonly string[]
  email: string | null
  mailed: boolean
  uses: number
  expiresAt: Instant
  createdBy: string | null
  /** The token in the mailed link; a new one is generated if undefined. */
  token?: string | undefined
}

/** Stores an invitation and returns its id and its token, of which only a hash is stored. */
export async function insertInvite(
  tx: Queries,
  invite: NewInvite,
  now: Instant,
): Promise<{ id: string; token: string }> {
  const { token = randomBytes(32).toString('base64url') } = invite
  const id = randomUUID()
  await tx
    .insertInto('invite')
    .values({
      id,
      hash: hashOf(token),
      roles: JSON.stringify(invite.roles),
      tags: JSON.stringify(invite.tags),
      email: invite.email,
      mailed: invite.mailed ? 1 : 0,
      uses: invite.uses,
      created_by: invite.createdBy,
      created_at: now,
      expires_at: invite.expiresAt,
    })
    .execute()
  return { id, token }
}

/** Throws a 409 if too many invitations are open. */
export async function requireRoom(q: Queries, now: Instant): Promise<void> {
  const alive = q.selectFrom('invite').where('revoked_at', 'is', null).where('expires_at', '>', now)
  if ((await countRows(alive.whereRef('used', '<', 'uses'))) >= mostOpen)
    throw new HttpError(409, `There are ${mostOpen} open invitations already. Revoke some first.`)
}

const selectInvites = (q: Queries) =>
  q
    .selectFrom('invite')
    .leftJoin('users as maker', 'maker.id', 'invite.created_by')
    .leftJoin('mail', 'mail.hash', 'invite.hash')
    .selectAll('invite')
    .select(['mail.sent_at', 'mail.note'])
    .select(['maker.name as maker', 'maker.status as maker_status', 'maker.admin_level as maker_level'])

type Row = Awaited<ReturnType<ReturnType<typeof selectInvites>['execute']>>[number]

const readInvite = (row: Row, now: Instant): StoredInvite => ({
  id: row.id,
  state: stateOf(row, now),
  roles: parseRoles(row.roles),
  tags: parseTags(row.tags),
  email: row.email,
  mailed: row.mailed === 1 || row.sent_at !== null,
  mailNote: row.note,
  uses: row.uses,
  used: row.used,
  expiresAt: row.expires_at,
  createdBy: row.created_by === null ? commandLine.name : row.maker,
  createdAt: row.created_at,
})

/** An invitation depends on its creator: it is stopped while that user may not invite. */
function stateOf(row: Row, now: Instant): InviteState {
  if (row.revoked_at !== null) return 'revoked'
  if (row.created_by !== null && !(row.maker_status === Active && row.maker_level === 2)) return 'stopped'
  if (row.used >= row.uses) return 'used up'
  return row.expires_at <= now ? 'over' : 'open'
}

/** Lists all invitations except revoked ones, newest first. */
export async function listInvites(q: Queries, now: Instant): Promise<StoredInvite[]> {
  const found = await selectInvites(q)
    .where('invite.revoked_at', 'is', null)
    .orderBy('invite.created_at', 'desc')
    .orderBy('invite.id')
    .execute()
  return found.map((row) => readInvite(row, now))
}

export async function inviteByToken(q: Queries, token: string, now: Instant): Promise<StoredInvite | undefined> {
  const row = await selectInvites(q).where('invite.hash', '=', hashOf(token)).executeTakeFirst()
  return row && readInvite(row, now)
}

export async function inviteById(q: Queries, id: string, now: Instant): Promise<StoredInvite | undefined> {
  const row = await selectInvites(q).where('invite.id', '=', id).executeTakeFirst()
  return row && readInvite(row, now)
}

export const hasUsedInvite = (q: Queries, inviteId: string, userId: string): Promise<boolean> =>
  exists(q.selectFrom('invite_use').where('invite_id', '=', inviteId).where('user_id', '=', userId))

/** The invitation ended between being read and being used. */
export class InviteEndedError extends Error {}

/** Runs `work` a second time if the invitation ended in the meantime: the second run reports why. */
export const retryIfInviteEnded = <Result>(work: () => Promise<Result>): Promise<Result> =>
  work().catch((error: unknown) => {
    if (error instanceof InviteEndedError) return work()
    throw error
  })

/** Must come last in the transaction: concurrent uses wait for its row lock. Throws InviteEndedError if it has ended. */
export async function recordInviteUse(tx: Queries, inviteId: string, userId: string, now: Instant): Promise<void> {
  const makers = tx.selectFrom('users').select('id').where('status', '=', Active).where('admin_level', '=', 2)
  const { numUpdatedRows } = await tx
    .updateTable('invite')
    .set((eb) => ({ used: eb('used', '+', 1) }))
    .where('id', '=', inviteId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .whereRef('used', '<', 'uses')
    .where((eb) => eb.or([eb('created_by', 'is', null), eb('created_by', 'in', makers)]))
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw new InviteEndedError()
  await tx.insertInto('invite_use').values({ invite_id: inviteId, user_id: userId, at: now }).execute()
}

/** Revokes an invitation and returns it. Throws a 404 if there is none or it is already revoked. */
export async function revokeInvite(tx: Queries, id: string, now: Instant): Promise<StoredInvite> {
  const { numUpdatedRows } = await tx
    .updateTable('invite')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  const invite = numUpdatedRows === 1n ? await inviteById(tx, id, now) : undefined
  if (!invite) throw notFound('Invitation')
  // A mail that is still queued must not deliver the link.
  const hash = tx.selectFrom('invite').select('hash').where('id', '=', id)
  await tx.updateTable('mail').set({ used_at: now }).where('hash', 'in', hash).execute()
  return invite
}

export const deleteOldInvites = (q: Queries, now: Instant) =>
  deleteInBatches(q, 'invite', {
    key: ['id'],
    where: sql<SqlBool>`expires_at <= ${now - endedInvitesKeptFor} or revoked_at <= ${now - endedInvitesKeptFor}`,
  })

/** Why an invitation can't be used; never reveals whose it was. */
export type InviteRefusal = Exclude<InviteState, 'open'> | 'unknown' | 'other'

const advice = 'Ask for a new one.'
const stopped = `This invitation was revoked. ${advice}`
export const inviteRefusals: Record<InviteRefusal, string> = {
  unknown: "This invitation doesn't exist. Make sure you opened the whole link, or ask for a new one.",
  'used up': `This invitation has been used up. ${advice}`,
  over: `This invitation has expired. ${advice}`,
  revoked: stopped,
  stopped,
  other: "This invitation is for a different email, or one you haven't confirmed yet. Ask an admin.",
}

export const inviteRefused = (why: InviteRefusal) => new HttpError(403, inviteRefusals[why])

/** Why an invitation no longer works for anyone; undefined if it is open. */
export function inviteEndReason(invite: StoredInvite | undefined): InviteRefusal | undefined {
  if (!invite) return 'unknown'
  return invite.state === 'open' ? undefined : invite.state
}

/** Throws a 403 that says why, unless the invitation is open. */
export function requireOpen(invite: StoredInvite | undefined): StoredInvite {
  const why = inviteEndReason(invite)
  if (!invite || why) throw inviteRefused(why ?? 'unknown')
  return invite
}

/** Whether having the link proves its email, because it was mailed there. */
export const provesEmail = ({ email, mailed }: Pick<StoredInvite, 'email' | 'mailed'>): boolean =>
  email !== null && mailed

/** Whether a person may use an invitation: it has no email, or theirs, if verified or reached by the mailed link. */
export const isInviteFor = (
  { email, mailed }: Pick<StoredInvite, 'email' | 'mailed'>,
  person: { email: string; emailVerified: boolean },
): boolean => email === null || (email === person.email && (person.emailVerified || mailed))
