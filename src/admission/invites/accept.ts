import type { Change } from '../../people/audit/contract.ts'
import { lockUser, type UserRow } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import { type Origin, originOf } from '../../platform/http/access/actor.ts'
import { cookieNote, type Exchange } from '../../platform/http/access/cookie-note.ts'
import { accessChanged, type LiveEvent } from '../../platform/live/events.ts'
import { quote } from '../../platform/notice.ts'
import { callerDeleted } from '../../shared/http-error.ts'
import { hours } from '../../shared/time.ts'
import { Active, accessLevels, Inactive, type Roles, roleNames } from '../../shared/user.ts'
import { changesTo, editUser } from '../access/edit-user.ts'
import { waitingChanged } from '../access/store.ts'
import {
  hasUsedInvite,
  type InviteRefusal,
  inviteById,
  inviteEndReason,
  inviteRefusals,
  isInviteFor,
  provesEmail,
  recordInviteUse,
  retryIfInviteEnded,
  type StoredInvite,
} from './store.ts'

export type InviteContext = Pick<Context, 'db' | 'now' | 'notify'>

/** Merges an invitation's rights into a user's; none is lowered or removed. */
const mergeRights = ({ roles, tags, emailVerified }: UserRow, invite: StoredInvite) => ({
  roles: {
    Admin: Math.max(roles.Admin, invite.roles.Admin) as Roles['Admin'],
    Tools: Math.max(roles.Tools, invite.roles.Tools) as Roles['Tools'],
  },
  tags: [...new Set([...tags, ...invite.tags])],
  emailVerified: emailVerified || provesEmail(invite),
})

/** Returns the reason for a refusal. Never uses up an invitation that the user has used or that grants nothing new. */
export async function acceptInvite(
  context: InviteContext & Pick<Context, 'events'>,
  inviteId: string,
  userId: string,
  how: { origin: Origin; toast: boolean },
): Promise<InviteRefusal | undefined> {
  const { db, now } = context
  const attempt = () =>
    transact(db, async (tx): Promise<{ refused?: InviteRefusal; events: readonly LiveEvent[] }> => {
      const user = await lockUser(db, tx, { id: userId }, callerDeleted)
      if (user.status !== Active || (await hasUsedInvite(tx, inviteId, userId))) return { events: [] }
      const invite = await inviteById(tx, inviteId, now())
      const why = inviteEndReason(invite)
      if (!invite || why) return { refused: why ?? 'unknown', events: [] }
      if (!isInviteFor(invite, user)) return { refused: 'other', events: [] }
      if (changesTo(user, mergeRights(user, invite)).length === 0) return { events: [] }
      return { events: await redeemInvite(context, tx, invite, user, how) }
    })
  const { refused, events } = await retryIfInviteEnded(attempt)
  context.events.publish(events)
  return refused
}

/** Also approves a waiting user, locked by the caller. `joinsWith` is how a new user signs in. Throws InviteEndedError. */
export async function redeemInvite(
  context: InviteContext,
  tx: Queries,
  invite: StoredInvite,
  before: UserRow,
  { origin, toast, joinsWith }: { origin: Origin; toast: boolean; joinsWith?: string },
): Promise<readonly LiveEvent[]> {
  const { id } = before
  const actor = { id, name: before.email, ...origin }
  const wasWaiting = before.status === Inactive
  if (wasWaiting) await editUser(context, tx, before, { to: { status: Active }, actor, action: 'access.approve' })
  const user = { ...before, status: Active }
  const to = mergeRights(user, invite)
  const changes = [...changesTo(user, to), { field: 'invitation', from: null, to: invite.id }]
  await editUser(context, tx, user, { to, actor, action: 'invite.use', changes })
  const rights = describeGrantedRoles(changes)
  const message = `Your invitation was accepted.${rights && ` You now have ${rights}.`}`
  const does = joinsWith ? `joined with ${joinsWith}` : 'accepted an invitation'
  const by = invite.createdBy === null ? '' : `, invited by ${quote(invite.createdBy)}`
  const liveEvents = await context.notify(tx, [
    { type: 'account', userId: id, message, ...(toast && { toast: 'info' as const }) },
    { type: 'access', message: `${quote(before.email)} ${does}${by}.${rights && ` They now have ${rights}.`}` },
  ])
  await recordInviteUse(tx, invite.id, id, context.now())
  return [accessChanged(id), ...(wasWaiting ? [waitingChanged] : []), ...liveEvents]
}

/** Such as `Full Access to Tools`; empty if no role was raised. */
function describeGrantedRoles(changes: readonly Change[]): string {
  const roles = roleNames.flatMap((role) => {
    const level = changes.find(({ field }) => field === `roles.${role}`)?.to
    return level === 1 || level === 2 ? [`${accessLevels[level]} to ${role}`] : []
  })
  return roles.join(' and ')
}

/** A cookie with the id (never the token) of the invitation that the next sign-in in this browser uses. */
export const inviteNote = cookieNote('invite', hours(1))

/** Applies this browser's invitation after a sign-in, or notifies the user why not. Never fails the sign-in. */
export async function acceptPendingInvite(
  context: InviteContext & Pick<Context, 'config' | 'events' | 'log'>,
  exchange: Exchange,
  userId: string,
): Promise<void> {
  const id = inviteNote.read(context, exchange.request)
  if (id === undefined) return
  try {
    const origin = originOf(exchange.request)
    const refused = await acceptInvite(context, id, userId, { origin, toast: true })
    if (refused) {
      const message = inviteRefusals[refused]
      context.events.publish(
        await context.notify(context.db.q, [{ type: 'account', userId, message, toast: 'warning' }]),
      )
    }
    inviteNote.forget(context, exchange)
  } catch (error) {
    // The browser keeps the invitation for the next sign-in.
    context.log.error({ err: error }, 'Failed to use an invitation')
  }
}
