import { Active, Inactive } from '../../shared/user.ts'
import type { AccountsConfig } from '../config.ts'
import type { Identity } from './catalogue/provider.ts'
import type { Refusal } from './refusal.ts'

export type Account = { id: string; email: string; emailVerified: boolean; status: number }

/** All that counts when somebody comes back from a provider. */
export type Facts = {
  /** The address the provider names, and whether it vouches for it. */
  email: Identity['email']
  /** Whose this identity is already. */
  owner: Account | undefined
  /** Whose the email address is; without one, or with an owner, nobody is looked for. */
  holder: Account | undefined
  /** Somebody who is signed in links this identity: who began it, and who is signed in now. */
  linking: { begunBy: string; now: Account | undefined } | undefined
  signUp: AccountsConfig['signUp']
}

/** `verifies` says that the provider vouches for the user's own address, which nobody did before. */
export type Verdict =
  | { do: 'recognize' | 'link'; user: Account; verifies: boolean }
  | { do: 'create'; email: NonNullable<Identity['email']>; status: typeof Active | typeof Inactive }
  | { do: 'refuse'; why: Refusal }

/** The one rule of who comes in: an identity that is known, one whose address both sides verified, or a new user where sign-up allows. */
export const admission = (facts: Facts): Verdict => (facts.linking ? linking(facts, facts.linking) : signingIn(facts))

const refuse = (why: Refusal): Verdict => ({ do: 'refuse', why })

function linking({ email, owner }: Facts, { begunBy, now }: NonNullable<Facts['linking']>): Verdict {
  if (now?.id !== begunBy) return refuse('notSignedIn')
  if (now.status !== Active) return refuse(closedTo(now))
  if (owner && owner.id !== now.id) return refuse('linkedElsewhere')
  return { do: owner ? 'recognize' : 'link', user: now, verifies: verifies(email, now) }
}

function signingIn({ email, owner, holder, signUp }: Facts): Verdict {
  if (owner && owner.status !== Active) return refuse(closedTo(owner))
  if (owner) return { do: 'recognize', user: owner, verifies: verifies(email, owner) }
  if (!email) return refuse('noEmail')
  // Where nobody new is taken, a free address and somebody else's get the same answer.
  if (!holder) return signUp === 'closed' ? refuse('closed') : newcomer(email, signUp)
  if (!email.verified || !holder.emailVerified) return refuse(signUp === 'closed' ? 'closed' : 'notYours')
  if (holder.status !== Active) return refuse(closedTo(holder))
  return { do: 'link', user: holder, verifies: false }
}

const newcomer = (email: NonNullable<Identity['email']>, signUp: 'open' | 'approval'): Verdict => ({
  do: 'create',
  email,
  status: signUp === 'approval' ? Inactive : Active,
})

const closedTo = ({ status }: Account): Refusal => (status === Inactive ? 'inactive' : 'blocked')

const verifies = (email: Facts['email'], user: Account): boolean =>
  email?.verified === true && email.address === user.email && !user.emailVerified
