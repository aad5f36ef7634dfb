import { writeAudit } from '../../people/audit/log.ts'
import { parseRoles, parseTags } from '../../people/store.ts'
import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import type { Origin } from '../../platform/http/access/actor.ts'
import type { LiveEvent } from '../../platform/live/events.ts'
import { Active } from '../../shared/user.ts'
import { waitingChanged } from '../access/store.ts'
import { saveRights } from '../save-rights.ts'
import { type InviteContext, raised, recordNewcomer } from './accept.ts'
import { isFor, provesEmail, whyEnded } from './refusal.ts'
import type { StoredInvite } from './store.ts'
import { inviteById } from './store.ts'

type Person = { id: string; email: string; emailVerified: boolean; status: number; origin: Origin }

/** Lets in a user, whose row is locked, who waits for approval: with all of the invitation, at the cost of a use, in one transaction. Throws InviteGone. */
export async function approveByInvite(
  context: InviteContext,
  tx: Queries,
  invite: StoredInvite,
  { id, email, emailVerified, status, origin }: Person,
): Promise<readonly LiveEvent[]> {
  const { db, now } = context
  const row = await tx.selectFrom('users').select(['roles', 'tags']).where('id', '=', id).executeTakeFirstOrThrow()
  const own = { roles: parseRoles(row.roles), tags: parseTags(row.tags) }
  const proves = provesEmail(invite) && !emailVerified
  const rights = { ...raised(own, invite), status: Active, emailVerified: emailVerified || proves }
  await saveRights(db, tx, id, rights, { by: id, at: now() })
  await writeAudit(tx, now(), {
    actor: { id, name: email, ...origin },
    action: 'access.approve',
    target: { id, name: email },
    changes: [
      { field: 'status', from: status, to: Active },
      ...(proves ? [{ field: 'emailVerified', from: false, to: true }] : []),
    ],
  })
  return [waitingChanged, ...(await recordNewcomer(context, tx, invite, { id, email, origin }, own))]
}

/** The invitation that somebody has opened who isn't known yet: whether it is for them, or even `names` their email, and then the invitation. */
type Opened = { fit: 'ended' | 'other' } | { fit: 'fits' | 'names'; invite: StoredInvite }

/** Looks at an invitation for a newcomer with this email, if the provider tells one. */
export async function openedInvite(
  { now }: Pick<Context, 'now'>,
  tx: Queries,
  id: string,
  email: { address: string; verified: boolean } | undefined,
): Promise<Opened> {
  const invite = await inviteById(tx, id, now())
  if (!invite || whyEnded(invite)) return { fit: 'ended' }
  if (!email || !isFor(invite, { email: email.address, emailVerified: email.verified })) return { fit: 'other' }
  return { fit: invite.email === null ? 'fits' : 'names', invite }
}
