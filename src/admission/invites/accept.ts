import type { Change } from '../../people/audit/contract.ts'
import { changesBetween } from '../../people/audit/fields.ts'
import { writeAudit } from '../../people/audit/log.ts'
import { parseRoles, parseTags } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import { lockRows } from '../../platform/db/locks.ts'
import type { Queries } from '../../platform/db/open.ts'
import { transact } from '../../platform/db/transact.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import { accessChanged, type LiveEvent } from '../../platform/live/events.ts'
import { Active, accessLevels, type Roles, roleNames } from '../../shared/user.ts'
import { saveRights } from '../save-rights.ts'
import { type InviteRefusal, isFor, provesEmail, whyEnded } from './refusal.ts'
import { againIfGone, hasUsed, inviteById, type StoredInvite, takeUse } from './store.ts'

export type InviteContext = Pick<Context, 'db' | 'now' | 'notify'>
type Rights = { roles: Roles; tags: readonly string[] }
/** What an invitation changed, or why it was refused. */
type Outcome = { changes: readonly Change[] } | { refused: InviteRefusal }

/** The rights of somebody with an invitation's beside theirs: none is lowered or taken. */
export const raised = (own: Rights, invite: Rights) => ({
  roles: {
    Admin: Math.max(own.roles.Admin, invite.roles.Admin) as Roles['Admin'],
    Tools: Math.max(own.roles.Tools, invite.roles.Tools) as Roles['Tools'],
  },
  tags: [...new Set([...own.tags, ...invite.tags])],
})

const fieldsOf = ({ roles, tags }: Rights) => ({
  'roles.Admin': roles.Admin,
  'roles.Tools': roles.Tools,
  tags: [...tags],
})

/**
 * Gives an existing user what an invitation has: the use, the rights and the entry of the log are one transaction. Who
 * has used it, or has all of it already, takes no use.
 */
export async function acceptInvite(
  context: InviteContext & Pick<Context, 'events'>,
  inviteId: string,
  userId: string,
  { origin, toast }: { origin: Origin; toast: boolean },
): Promise<Outcome> {
  const { db, now } = context
  const attempt = () =>
    transact(db, async (tx): Promise<{ outcome: Outcome; events: readonly LiveEvent[] }> => {
      const nothing = { outcome: { changes: [] }, events: [] }
      const user = await lockRows(db, tx.selectFrom('users').selectAll().where('id', '=', userId)).executeTakeFirst()
      if (user?.status !== Active || (await hasUsed(tx, inviteId, userId))) return nothing
      const invite = await inviteById(tx, inviteId, now())
      const why = whyEnded(invite)
      if (!invite || why) return { ...nothing, outcome: { refused: why ?? 'unknown' } }
      const emailVerified = Boolean(user.email_verified)
      if (!isFor(invite, { email: user.email, emailVerified })) return { ...nothing, outcome: { refused: 'other' } }
      const before = { roles: parseRoles(user.roles), tags: parseTags(user.tags) }
      const after = raised(before, invite)
      const proves = provesEmail(invite) && !emailVerified
      const changes = [
        ...changesBetween(fieldsOf(before), fieldsOf(after)),
        ...(proves ? [{ field: 'emailVerified', from: false, to: true }] : []),
      ]
      if (changes.length === 0) return nothing
      const rights = { ...after, status: user.status, emailVerified: emailVerified || proves }
      await saveRights(db, tx, userId, rights, { by: userId, at: now() })
      const told = await recordUse(context, tx, invite, { id: userId, email: user.email, origin, changes, toast })
      return { outcome: { changes }, events: [accessChanged(userId), ...told] }
    })
  const { outcome, events } = await againIfGone(attempt)
  context.events.publish(events)
  return outcome
}

const noRights: Rights = { roles: { Admin: 0, Tools: 0 }, tags: [] }

/** Records that a new user, made in this transaction with its rights and these of their own, uses an invitation: the last thing of that transaction. Throws InviteGone. */
export const recordNewcomer = (
  context: InviteContext,
  tx: Queries,
  invite: StoredInvite,
  person: { id: string; email: string; origin: Origin },
  own = noRights,
): Promise<readonly LiveEvent[]> => {
  const changes = changesBetween(fieldsOf(own), fieldsOf(raised(own, invite)))
  return recordUse(context, tx, invite, { ...person, changes, toast: true })
}

/** Logs the use, tells the user and takes it. */
async function recordUse(
  { now, notify }: InviteContext,
  tx: Queries,
  invite: StoredInvite,
  use: { id: string; email: string; origin: Origin; changes: readonly Change[]; toast: boolean },
): Promise<readonly LiveEvent[]> {
  const { id, email, origin, changes, toast } = use
  const invitation = { field: 'invitation', from: null, to: invite.id }
  await writeAudit(tx, now(), {
    actor: { id, name: email, ...origin },
    action: 'invite.use',
    target: { id, name: email },
    changes: [...changes, invitation],
  })
  const message = ['Your invitation was accepted.', given(changes)].join(' ').trimEnd()
  const events = await notify(tx, [{ type: 'account', userId: id, message, ...(toast && { toast: 'info' as const }) }])
  await takeUse(tx, invite.id, id, now())
  return events
}

/** `You now have Full Access to Tools.`; nothing if no role was raised. */
function given(changes: readonly Change[]): string {
  const roles = roleNames.flatMap((role) => {
    const level = changes.find(({ field }) => field === `roles.${role}`)?.to
    return level === 1 || level === 2 ? [`${accessLevels[level]} to ${role}`] : []
  })
  return roles.length > 0 ? `You now have ${roles.join(' and ')}.` : ''
}
