type Words = (provider: string) => string

const again = 'Please start again.'

/** Why nobody was let in, in words for whoever stands outside. They never tell whether somebody else has an account. */
export const refusals = {
  denied: (provider) => `You did not let ToolBox see your ${provider} account, so nothing was changed.`,
  spent: () => `This sign-in took too long or was used before. ${again}`,
  trouble: (provider) => `${provider} does not answer as it should. Please try again in a few minutes.`,
  stale: () => `This sign-in was started in another browser or too long ago, or was used before. ${again}`,
  notOffered: () => 'This way to sign in is not set up here.',
  noEmail: (provider) =>
    `${provider} gave no email address for your account, and ToolBox needs one. Add one at ${provider}, or allow it to be read.`,
  notYours: (provider) =>
    `The email address of this ${provider} account does not open an account here. If you have one, sign in first, then link ${provider} on your profile page.`,
  closed: (provider) =>
    `ToolBox takes no new users. If you have an account, sign in first, then link ${provider} on your profile page; else ask an administrator.`,
  waiting: () => 'Your account was made and waits for an administrator to activate it.',
  inactive: () => 'This account is not active yet. Ask an administrator to activate it.',
  blocked: () => 'This account is blocked. Ask an administrator why.',
  notSignedIn: (provider) =>
    `You are not signed in any more as the user who began to link ${provider}. Sign in and link it again.`,
  linkedElsewhere: (provider) => `This ${provider} account is linked to another user here, so nothing was changed.`,
  failed: () => `Something went wrong while signing in. ${again}`,
} satisfies Record<string, Words>

export type Refusal = keyof typeof refusals
export const isRefusal = (text: string | undefined): text is Refusal =>
  text !== undefined && Object.hasOwn(refusals, text)

/** What a refusal says to people, about this provider when it has to do with one. */
export const sentenceOf = (refusal: Refusal, provider = 'The provider'): string => refusals[refusal](provider)
