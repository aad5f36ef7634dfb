import { Active, Inactive } from '../../shared/user.ts'
import type { AccountsConfig } from '../config.ts'
import type { Identity } from './catalogue/provider.ts'
import type { Refusal } from './refusal.ts'

export type Account = { id: string; email: string; emailVerified: boolean; status: number; isAdmin: boolean }

/** Everything that decides about a user who returns from a provider. */
export type Facts = {
  /** The email that the provider reports, and whether it is verified. */
  email: Identity['email']
  /** The user this identity is linked to. */
  owner: Account | undefined
  /** The user who has this email; not looked for if there is an owner. */
  holder: Account | undefined
  /** Set if a signed-in user links this identity, or `proves` who they are by it: who started it, and who is signed in now. */
  linking: { begunBy: string; now: Account | undefined; proves: boolean } | undefined
  signUp: AccountsConfig['signUp']
}

/** `from` is who loses the email, having never proved it. */
type NewUser = {
  do: 'create'
  email: NonNullable<Identity['email']>
  status: typeof Active | typeof Inactive
  from?: Account
}
/** `verifies`: the provider is the first to confirm the user's own email. */
export type Verdict =
  | NewUser
  | { do: 'recognize' | 'link'; user: Account; verifies: boolean }
  | { do: 'refuse'; why: Refusal }

/**
 * Decides who may sign in: a linked identity, one whose email both sides have verified, or a new user if sign-up allows
 * it. A verified email is taken from a user who never proved that it is theirs. An admin's account is never linked by an
 * email alone, since whoever gets hold of the mailbox would get hold of the server.
 */
export const admission = (facts: Facts): Verdict => (facts.linking ? linking(facts, facts.linking) : signingIn(facts))

const refuse = (why: Refusal): Verdict => ({ do: 'refuse', why })

function linking({ email, owner }: Facts, { begunBy, now, proves }: NonNullable<Facts['linking']>): Verdict {
  if (now?.id !== begunBy) return refuse('notSignedIn')
  if (now.status !== Active) return refuse(closedTo(now))
  if (proves && owner?.id !== now.id) return refuse('notLinked')
  if (owner && owner.id !== now.id) return refuse('linkedElsewhere')
  return { do: owner ? 'recognize' : 'link', user: now, verifies: verifies(email, now) }
}

function signingIn({ email, owner, holder, signUp }: Facts): Verdict {
  if (owner && owner.status !== Active) return refuse(closedTo(owner))
  if (owner) return { do: 'recognize', user: owner, verifies: verifies(email, owner) }
  if (!email) return refuse('noEmail')
  // While sign-up is closed, the answer must not tell whether somebody has this email.
  if (!holder) return signUp === 'closed' ? refuse('closed') : newcomer(email, signUp)
  if (signUp === 'closed' && !(email.verified && holder.emailVerified)) return refuse('closed')
  if (!email.verified) return refuse('notYours')
  if (!holder.emailVerified && signUp !== 'closed') return { ...newcomer(email, signUp), from: holder }
  if (holder.status !== Active) return refuse(closedTo(holder))
  if (holder.isAdmin) return refuse('admin')
  return { do: 'link', user: holder, verifies: false }
}

const newcomer = (email: NonNullable<Identity['email']>, signUp: 'open' | 'approval'): NewUser => ({
  do: 'create',
  email,
  status: signUp === 'approval' ? Inactive : Active,
})

const closedTo = ({ status }: Account): Refusal => (status === Inactive ? 'inactive' : 'blocked')

const verifies = (email: Facts['email'], user: Account): boolean =>
  email?.verified === true && email.address === user.email && !user.emailVerified
