import { type CheckResult, ok, warning } from '../../platform/check-result.ts'
import { once } from '../../shared/async.ts'
import { formatCount } from '../../shared/count.ts'
import { days, type Instant } from '../../shared/time.ts'
import type { SignInConfig } from '../../sign-in/config.ts'

/** An active user with an Admin level; `isFull` means level 2. */
export type Admin = {
  name: string
  isFull: boolean
  /** Null if the admin has never signed in. */
  lastUsedAt: Instant | null
  /** Whether the admin has a password but no second step. */
  hasOnlyPassword: boolean
}

const maxAbsence = days(90)

/** Checks whether admins can stand in for each other, are still active, and are hard to impersonate. */
export function checkAdmins(admins: readonly Admin[], now: Instant): CheckResult[] {
  const count = admins.filter(({ isFull }) => isFull).length
  const absent = admins.filter(({ lastUsedAt }) => lastUsedAt === null || now - lastUsedAt > maxAbsence)
  const weak = admins.filter(({ hasOnlyPassword }) => hasOnlyPassword)
  return [
    count > 1
      ? ok(`${count} users have the role Admin 2.`)
      : warning(
          'Only one user has the role Admin 2. If they lose access, nobody else can help.',
          'Give a second user the role Admin 2.',
        ),
    absent.length === 0
      ? ok('All admins have been active within the last 90 days.')
      : warning(
          `${listNames(absent)} ${absent.length === 1 ? "hasn't" : "haven't"} been active within the last 90 days.`,
          'Remove the Admin role from everyone who no longer needs it.',
        ),
    weak.length === 0
      ? ok('Every admin with a password has a second step.')
      : warning(
          `${listNames(weak)} can sign in with a password alone.`,
          'Ask them to turn on two-step sign-in, or require it with REQUIRE_SECOND_FACTOR=admins.',
        ),
  ]
}

const mostNames = 5

/** `ada`, `ada and bob`, `ada, bob, cid, dan, eve and 3 others`. */
function listNames(people: readonly Admin[]): string {
  const names = people.slice(0, mostNames).map(({ name }) => name)
  const others = people.length - names.length
  if (others > 0) return `${names.join(', ')} and ${others === 1 ? '1 other' : `${others} others`}`
  return names.length === 1 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

type SignUp = Pick<SignInConfig, 'signUp' | 'signUpTools' | 'halfProviders'> & {
  providers: readonly string[]
}

export const checkSignUp = ({ signUp, signUpTools, halfProviders, providers }: SignUp): CheckResult[] => [
  ...(isOpenToAll({ signUp, signUpTools, providers }) ? [openSignUpWarning] : [ok(describeSignUp(signUp, providers))]),
  ...halfProviders.map(({ name, unset }) =>
    warning(
      `Sign-in with ${name} isn't offered, since ${unset.join(' and ')} ${unset.length === 1 ? 'is' : 'are'} unset.`,
      'Set all variables of a provider, or none.',
    ),
  ),
]

const isOpenToAll = ({ signUp, signUpTools, providers }: Omit<SignUp, 'halfProviders'>) =>
  signUp === 'open' && signUpTools > 0 && providers.length > 0

const openSignUpWarning = warning(
  'Anyone can sign up and use the tools at once (SIGN_UP is open, SIGN_UP_TOOLS is 1).',
  'Unless that is what you want, set SIGN_UP to approval, or SIGN_UP_TOOLS to 0.',
)

const either = once(() => new Intl.ListFormat('en', { type: 'disjunction' }))

const onlyInvited = 'Only people with an invitation can sign up.'

function describeSignUp(signUp: SignUp['signUp'], providers: readonly string[]): string {
  if (providers.length === 0) return `${onlyInvited} There is no provider, so admins create or invite all users.`
  const list = either().format(providers)
  if (signUp === 'closed')
    return `${onlyInvited} SIGN_UP is closed, so only they and existing users can sign in with ${list}.`
  if (signUp === 'approval') return `Anyone can sign up with ${list}, and an admin approves each of them.`
  return `Anyone can sign up with ${list} (SIGN_UP is open).`
}

/** A channel whose messages aren't accepted: its owner's name and the label of its type. */
export type FailingChannel = { owner: string; type: string }

const mostChannels = 3

export function checkChannels(failing: readonly FailingChannel[]): CheckResult {
  if (failing.length === 0) return ok('All channels work.')
  const failed = failing.slice(0, mostChannels).map(({ owner, type }) => `${type} of ${owner}`)
  const others = failing.length - failed.length
  return warning(
    `${failing.length === 1 ? '1 channel is failing' : `${formatCount(failing.length)} channels are failing`}: ${failed.join(', ')}${
      others > 0 ? ` and ${formatCount(others)} more` : ''
    }.`,
    'Tell their owners. The reason is on their Channels page.',
  )
}
