import { credentialsProvider } from '../../../people/contract.ts'
import type { ProviderLink } from '../../../people/pages/provider-link.ts'
import {
  type AccessLevel,
  Active,
  accessLevels,
  accountStatuses,
  Inactive,
  isSameMethod,
  knownTags,
  type Roles,
  roleNames,
} from '../../../shared/user.ts'
import type { Words } from '../../../ui/form/conflict/words.ts'
import { followSaved } from '../../../ui/form/draft.ts'
import type { CreateUserBody, PatchUserBody, User } from '../../contract.ts'

type Tag = (typeof knownTags)[number]

/** The fields of a user that the form can change; an empty username is none. */
export type UserValues = {
  name: string
  email: string
  credUsername: string
  status: AccessLevel
  tags: Tag[]
  roles: Roles
  providers: ProviderLink[]
}

const levels = [0, 1, 2] as const
export const statusOptions = levels.map((value) => ({ value, label: accountStatuses[value] }))
export const tagOptions = knownTags.map((value) => ({ value, label: value }))

export const blankValues: UserValues = {
  name: '',
  email: '',
  credUsername: '',
  status: Active,
  tags: [],
  roles: { Admin: 0, Tools: 0 },
  providers: [],
}

export const valuesOf = (user: User): UserValues => ({
  name: user.name,
  email: user.email,
  credUsername: user.credUsername ?? '',
  status: levels.find((level) => level === user.status) ?? Inactive,
  tags: knownTags.filter((tag) => user.tags.includes(tag)),
  roles: user.roles,
  providers: user.providers,
})

/** The values as text, by the labels of the form. */
export const wordsOf = ({ name, email, credUsername, status, tags, roles, providers }: UserValues): Words => ({
  Name: name,
  Email: email,
  Username: credUsername || 'None',
  Status: accountStatuses[status],
  Tags: tags.join(', ') || 'None',
  ...Object.fromEntries(roleNames.map((role) => [role, accessLevels[roles[role]]])),
  Providers: providers.map(accountName).join(', ') || 'None',
})
const accountName = ({ providerId, accountId, accountUsername }: ProviderLink) =>
  `${providerId.replace(/^\d+_/, '')} ${accountUsername ?? accountId}`

/** Merges like `followSaved`, but role by role and provider by provider. */
export const mergedValues = (typed: UserValues, before: UserValues, after: UserValues): UserValues => ({
  ...followSaved(typed, before, after),
  roles: followSaved(typed.roles, before.roles, after.roles),
  providers: after.providers.filter((one) => !has(before.providers, one) || has(typed.providers, one)),
})
const has = (links: readonly ProviderLink[], one: ProviderLink) => links.some((link) => isSameMethod(link, one))

/** The labels of required fields that are empty. */
export const missingIn = ({ name, email }: UserValues): string[] => [
  ...(name.trim() ? [] : ['Name']),
  ...(email.trim() ? [] : ['Email']),
]

const hasPassword = ({ providers }: UserValues) =>
  providers.some(({ providerId }) => providerId === credentialsProvider)

/** Whether saving removes the password, and with it the username. */
export const losesPassword = (before: UserValues, now: UserValues): boolean => hasPassword(before) && !hasPassword(now)

const usernameOf = ({ credUsername }: Pick<UserValues, 'credUsername'>): string | null => credUsername.trim() || null

const sameTags = (a: readonly Tag[], b: readonly Tag[]) => a.length === b.length && a.every((tag) => b.includes(tag))

type Changes = Omit<PatchUserBody, 'id'>

/** The changed fields for the server; others are left out, since somebody else may have changed them meanwhile. */
export function changesOf(before: UserValues, now: UserValues): Changes {
  const changes: Changes = {}
  if (now.name !== before.name) changes.name = now.name
  if (now.email !== before.email) changes.email = now.email
  if (now.status !== before.status) changes.status = now.status
  if (!sameTags(now.tags, before.tags)) changes.tags = now.tags
  for (const role of roleNames)
    if (now.roles[role] !== before.roles[role]) changes.roles = { ...changes.roles, [role]: now.roles[role] }
  if (now.providers.length !== before.providers.length) changes.providers = now.providers
  if (usernameOf(now) !== usernameOf(before) && !losesPassword(before, now)) changes.credUsername = usernameOf(now)
  return changes
}

/** The body that creates a user; a password can be set only afterwards. */
export const newUserOf = ({ providers: _none, ...values }: UserValues): CreateUserBody => ({
  ...values,
  credUsername: usernameOf(values),
})
