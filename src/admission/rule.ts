import type { UserRow } from '../people/store.ts'
import { Active, Inactive } from '../shared/user.ts'
import type { SignInConfig } from '../sign-in/config.ts'
import type { Identity } from '../sign-in/providers/provider.ts'
import type { Refusal } from '../sign-in/providers/refusal.ts'

/** `signUp` is set while an account has been inactive since its sign-up, and is the state of that sign-up. */
export type Account = UserRow & { signUp?: 'waiting' | 'declined' | 'askable' | undefined }

/** All inputs to the decision about a user who returns from a provider. */
export type Facts = {
  /** The email that the provider reports, and whether it is verified. */
  email: Identity['email']
  owner: Account | undefined
  /** The user who has this email; not looked up if there is an owner. */
  holder: Account | undefined
  /** While linking or re-authenticating (`proves`). `begunBy` is the user who started, `now` the one signed in now. */
  linking: { begunBy: string; now: Account | undefined; proves: boolean } | undefined
  signUp: SignInConfig['signUp']
  /** Whether the invitation opened in this browser fits this user, or even names their email; undefined without one. */
  invitation: 'fits' | 'names' | 'ended' | 'other' | undefined
}

/** `from` is the user who loses this email because they never verified it. */
type NewUser = {
  do: 'create'
  email: NonNullable<Identity['email']>
  status: typeof Active | typeof Inactive
  from?: Account
}
/**
 * `verifies`: the provider is the first to confirm the user's own email. `approves`: an invitation approves a waiting
 * user. `waits` is the waiting user who tried to sign in; with `asks`, the attempt renews a declined request.
 */
export type Verdict =
  | NewUser
  | { do: 'recognize' | 'link'; user: Account; verifies: boolean; approves?: boolean }
  | { do: 'refuse'; why: Refusal; waits?: Account; asks?: boolean }

/**
 * Decides who may sign in: a linked identity, one whose email both sides have verified, or a new user if sign-up allows
 * it. A verified email is taken from a user who never proved that it is theirs. An admin's account is never linked by an
 * email alone, since access to the mailbox would then give access to the server.
 */
export const decideAdmission = (facts: Facts): Verdict =>
  facts.linking ? decideLinking(facts, facts.linking) : decideSignIn(facts)

const refuse = (why: Refusal): Verdict => ({ do: 'refuse', why })

function decideLinking({ email, owner }: Facts, { begunBy, now, proves }: NonNullable<Facts['linking']>): Verdict {
  if (now?.id !== begunBy) return refuse('notSignedIn')
  if (now.status !== Active) return refuse(inactiveRefusal(now))
  if (proves && owner?.id !== now.id) return refuse('notLinked')
  if (owner && owner.id !== now.id) return refuse('linkedElsewhere')
  return { do: owner ? 'recognize' : 'link', user: now, verifies: verifiesEmail(email, now) }
}

function decideSignIn({ email, owner, holder, invitation, ...facts }: Facts): Verdict {
  // Invited users can join whatever the sign-up setting is.
  const isInvited = invitation === 'fits' || invitation === 'names'
  const signUp = isInvited ? 'open' : facts.signUp
  const closed = refuse(isInvited || invitation === undefined ? 'closed' : refusalByInvitation[invitation])
  const approves = (user: Account) => user.signUp === 'waiting' && isInvited
  if (owner && owner.status !== Active && !approves(owner)) return refuseInactive(owner)
  if (owner) return { do: 'recognize', user: owner, verifies: verifiesEmail(email, owner), approves: approves(owner) }
  if (!email) return refuse('noEmail')
  // While sign-up is closed, the response must not reveal whether this email has an account.
  if (!holder) return signUp === 'closed' ? closed : newUser(email, signUp)
  if (signUp === 'closed' && !(email.verified && holder.emailVerified)) return closed
  if (!email.verified && (holder.emailVerified || invitation !== 'names')) return refuse('notYours')
  if (!holder.emailVerified && signUp !== 'closed') return { ...newUser(email, signUp), from: holder }
  if (holder.status !== Active && !approves(holder)) return refuseInactive(holder)
  if (holder.roles.Admin > 0) return refuse('admin')
  return { do: 'link', user: holder, verifies: false, approves: approves(holder) }
}

const refusalByInvitation = { ended: 'inviteEnded', other: 'inviteOther' } as const

const newUser = (email: NonNullable<Identity['email']>, signUp: 'open' | 'approval'): NewUser => ({
  do: 'create',
  email,
  status: signUp === 'approval' ? Inactive : Active,
})

function refuseInactive(user: Account): Verdict {
  const { status, signUp } = user
  if (status !== Inactive || signUp === undefined) return refuse(inactiveRefusal(user))
  if (signUp === 'declined') return refuse('declined')
  return { do: 'refuse', why: 'waiting', waits: user, asks: signUp === 'askable' }
}

const inactiveRefusal = ({ status }: Account): Refusal => (status === Inactive ? 'inactive' : 'blocked')

const verifiesEmail = (email: Facts['email'], user: Account): boolean =>
  email?.verified === true && email.address === user.email && !user.emailVerified
