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
  linkedUser: Account | undefined
  /** The user who has this email; not looked up if there is a `linkedUser`. */
  emailHolder: Account | undefined
  /** While linking or re-authenticating (`proves`). `begunBy` started it; `currentUser` is signed in now. */
  linking: { begunBy: string; currentUser: Account | undefined; proves: boolean } | undefined
  signUp: SignInConfig['signUp']
  /** Whether the invitation opened in this browser fits this user, or even names their email; undefined without one. */
  invitation: 'fits' | 'names' | 'ended' | 'other' | undefined
}

/** `unverifiedHolder` is the user who loses this email because they never verified it. */
type NewUser = {
  do: 'create'
  email: NonNullable<Identity['email']>
  status: typeof Active | typeof Inactive
  unverifiedHolder?: Account
}
/**
 * `verifiesEmail`: the provider is the first to confirm the user's own email. `approvesUser`: an invitation approves a
 * waiting user. `waitingUser` tried to sign in; with `renewsRequest`, the attempt renews a declined request.
 */
export type AdmissionDecision =
  | NewUser
  | { do: 'recognize' | 'link'; user: Account; verifiesEmail: boolean; approvesUser?: boolean }
  | { do: 'refuse'; why: Refusal; waitingUser?: Account; renewsRequest?: boolean }

/**
 * Decides who may sign in: a linked identity, one whose email both sides have verified, or a new user if sign-up allows
 * it. A verified email is taken from a user who never proved that it is theirs. An admin's account is never linked by an
 * email alone, since access to the mailbox would then give access to the server.
 */
export const decideAdmission = (facts: Facts): AdmissionDecision =>
  facts.linking ? decideLinking(facts, facts.linking) : decideSignIn(facts)

const refuse = (why: Refusal): AdmissionDecision => ({ do: 'refuse', why })

function decideLinking(
  { email, linkedUser }: Facts,
  { begunBy, currentUser, proves }: NonNullable<Facts['linking']>,
): AdmissionDecision {
  if (currentUser?.id !== begunBy) return refuse('notSignedIn')
  if (currentUser.status !== Active) return refuse(inactiveRefusal(currentUser))
  if (proves && linkedUser?.id !== currentUser.id) return refuse('notLinked')
  if (linkedUser && linkedUser.id !== currentUser.id) return refuse('linkedElsewhere')
  return { do: linkedUser ? 'recognize' : 'link', user: currentUser, verifiesEmail: verifiesEmail(email, currentUser) }
}

function decideSignIn({ email, linkedUser, emailHolder, invitation, ...facts }: Facts): AdmissionDecision {
  // Invited users can join whatever the sign-up setting is.
  const isInvited = invitation === 'fits' || invitation === 'names'
  const signUp = isInvited ? 'open' : facts.signUp
  const closed = refuse(isInvited || invitation === undefined ? 'closed' : refusalByInvitation[invitation])
  const approves = (user: Account) => user.signUp === 'waiting' && isInvited
  if (linkedUser && linkedUser.status !== Active && !approves(linkedUser)) return refuseInactive(linkedUser)
  if (linkedUser)
    return {
      do: 'recognize',
      user: linkedUser,
      verifiesEmail: verifiesEmail(email, linkedUser),
      approvesUser: approves(linkedUser),
    }
  if (!email) return refuse('noEmail')
  // While sign-up is closed, the response must not reveal whether this email has an account.
  if (!emailHolder) return signUp === 'closed' ? closed : newUser(email, signUp)
  if (signUp === 'closed' && !(email.verified && emailHolder.emailVerified)) return closed
  if (!email.verified && (emailHolder.emailVerified || invitation !== 'names')) return refuse('notYours')
  if (!emailHolder.emailVerified && signUp !== 'closed')
    return { ...newUser(email, signUp), unverifiedHolder: emailHolder }
  if (emailHolder.status !== Active && !approves(emailHolder)) return refuseInactive(emailHolder)
  if (emailHolder.roles.Admin > 0) return refuse('admin')
  return { do: 'link', user: emailHolder, verifiesEmail: false, approvesUser: approves(emailHolder) }
}

const refusalByInvitation = { ended: 'inviteEnded', other: 'inviteOther' } as const

const newUser = (email: NonNullable<Identity['email']>, signUp: 'open' | 'approval'): NewUser => ({
  do: 'create',
  email,
  status: signUp === 'approval' ? Inactive : Active,
})

function refuseInactive(user: Account): AdmissionDecision {
  const { status, signUp } = user
  if (status !== Inactive || signUp === undefined) return refuse(inactiveRefusal(user))
  if (signUp === 'declined') return refuse('declined')
  return { do: 'refuse', why: 'waiting', waitingUser: user, renewsRequest: signUp === 'askable' }
}

const inactiveRefusal = ({ status }: Account): Refusal => (status === Inactive ? 'inactive' : 'blocked')

const verifiesEmail = (email: Facts['email'], user: Account): boolean =>
  email?.verified === true && email.address === user.email && !user.emailVerified
