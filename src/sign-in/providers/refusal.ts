type Words = (provider: string) => string

const advice = 'Please start again.'

/** Messages for the user on why a sign-in was refused. They never reveal whether another person has an account. */
export const refusals = {
  denied: (provider) => `ToolBox wasn't allowed to access your ${provider} account, so nothing was changed.`,
  spent: () => `This sign-in has expired or was already used. ${advice}`,
  trouble: (provider) => `${provider} isn't responding properly. Please try again in a few minutes.`,
  notAgain: (provider) =>
    `${provider} didn't confirm that you signed in there just now, so this proves nothing. Confirm in another way, or sign out of ToolBox and in again.`,
  stale: () => `This sign-in was started in another browser, has expired or was already used. ${advice}`,
  notOffered: () => "This sign-in method isn't set up here.",
  noEmail: (provider) =>
    `${provider} didn't share an email that ToolBox can use, and it needs one. Add one at ${provider}, or allow ToolBox to read it.`,
  notYours: (provider) =>
    `You can't sign in with the email of this ${provider} account. If you already have an account here, sign in first, then link ${provider} on your profile page.`,
  admin: (provider) =>
    `An admin has this email, and an admin's account is never linked by an email alone. Sign in first, then link ${provider} on your profile page.`,
  closed: (provider) =>
    `ToolBox is not accepting new users. If you already have an account, sign in first, then link ${provider} on your profile page. Otherwise, ask an admin.`,
  inviteEnded: () =>
    'Your invitation no longer works, and ToolBox is not accepting new users without one. Ask an admin.',
  inviteOther: (provider) =>
    `Your invitation is for a different email than the verified one of this ${provider} account. Sign in with the account that has it, or ask an admin.`,
  waiting: () => "Your account is waiting for an admin's approval.",
  declined: () =>
    "An admin has declined your sign-up. If that's a mistake, sign in again after a day to ask once more.",
  inactive: () => "Your account isn't active yet. Ask an admin to activate it.",
  blocked: () => 'Your account is blocked. Contact an admin.',
  notSignedIn: (provider) =>
    `You're no longer signed in as the user who started linking ${provider}. Sign in and link it again.`,
  notLinked: (provider) =>
    `This ${provider} account isn't one of your sign-in methods. Confirm with the account that you sign in with.`,
  linkedElsewhere: (provider) => `This ${provider} account is already linked to another user, so nothing was changed.`,
  failed: () => `Something went wrong while signing in. ${advice}`,
} satisfies Record<string, Words>

export type Refusal = keyof typeof refusals
export const isRefusal = (text: string | undefined): text is Refusal =>
  text !== undefined && Object.hasOwn(refusals, text)

export const refusalMessage = (refusal: Refusal, provider = 'The provider'): string => refusals[refusal](provider)
