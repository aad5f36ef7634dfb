import { HttpError } from '../../shared/http-error.ts'
import type { InviteState, StoredInvite } from './store.ts'

/** Why an invitation can't be used; never whose it was. */
export type InviteRefusal = Exclude<InviteState, 'open'> | 'unknown' | 'other'

const again = 'Ask for a new one.'
const stopped = `This invitation was revoked. ${again}`
export const inviteRefusals: Record<InviteRefusal, string> = {
  unknown: "This invitation doesn't exist. Make sure you opened the whole link, or ask for a new one.",
  'used up': `This invitation has been used up. ${again}`,
  over: `This invitation has expired. ${again}`,
  revoked: stopped,
  stopped,
  other: "This invitation is for a different email, or one you haven't confirmed yet. Ask an admin.",
}

export const inviteRefused = (why: InviteRefusal) => new HttpError(403, inviteRefusals[why])

/** Why nobody can use an invitation; undefined if somebody can. */
export function whyEnded(invite: StoredInvite | undefined): InviteRefusal | undefined {
  if (!invite) return 'unknown'
  return invite.state === 'open' ? undefined : invite.state
}

/** Whether its link proves the address that it is for: it was mailed there. */
export const provesEmail = ({ email, mailed }: Pick<StoredInvite, 'email' | 'mailed'>): boolean =>
  email !== null && mailed

/** Whether it is for somebody who is known, here or at a provider, by this address: a verified one, or one that the link was mailed to. */
export const isFor = (
  { email, mailed }: Pick<StoredInvite, 'email' | 'mailed'>,
  person: { email: string; emailVerified: boolean },
): boolean => email === null || (email === person.email && (person.emailVerified || mailed))
