import { type Finding, ok, warning } from '../../platform/finding.ts'
import { once } from '../../shared/async.ts'
import type { SignInConfig } from '../../sign-in/config.ts'

type Given = Pick<SignInConfig, 'signUp' | 'signUpTools' | 'halfProviders'> & {
  /** The names of the providers that are offered. */
  providers: readonly string[]
}

/** Who may sign up, and whether the providers are set up. */
export const checkSignUp = ({ signUp, signUpTools, halfProviders, providers }: Given): Finding[] => [
  ...(isOpenToAll({ signUp, signUpTools, providers }) ? [usedByAll] : [ok(whoMay(signUp, providers))]),
  ...halfProviders.map(({ name, unset }) =>
    warning(
      `Sign-in with ${name} isn't offered, since ${unset.join(' and ')} ${unset.length === 1 ? 'is' : 'are'} unset.`,
      'Set all variables of a provider, or none.',
    ),
  ),
]

const isOpenToAll = ({ signUp, signUpTools, providers }: Omit<Given, 'halfProviders'>) =>
  signUp === 'open' && signUpTools > 0 && providers.length > 0

const usedByAll = warning(
  'Anyone can sign up and use the tools at once (SIGN_UP is open, SIGN_UP_TOOLS is 1).',
  'Unless that is what you want, set SIGN_UP to approval, or SIGN_UP_TOOLS to 0.',
)

const either = once(() => new Intl.ListFormat('en', { type: 'disjunction' }))

const onlyInvited = 'Only people with an invitation can sign up.'

function whoMay(signUp: Given['signUp'], providers: readonly string[]): string {
  if (providers.length === 0) return `${onlyInvited} There is no provider, so admins create or invite all users.`
  const list = either().format(providers)
  if (signUp === 'closed')
    return `${onlyInvited} SIGN_UP is closed, so ${list} is only for them and for users who exist.`
  if (signUp === 'approval') return `Anyone can sign up with ${list}, and an admin approves each of them.`
  return `Anyone can sign up with ${list} (SIGN_UP is open).`
}
