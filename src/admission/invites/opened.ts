import type { Context } from '../../platform/context.ts'
import type { Queries } from '../../platform/db/open.ts'
import { isFor, whyEnded } from './refusal.ts'
import { inviteById, type StoredInvite } from './store.ts'

/** The invitation that somebody has opened who isn't known yet: whether it is for them, or even `names` their email, and then the invitation. */
export type Opened = { fit: 'ended' | 'other' } | { fit: 'fits' | 'names'; invite: StoredInvite }

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
