import { hasPassword } from '../../../people/contract.ts'
import type { ProviderLink } from '../../../people/pages/provider-link.ts'
import {
  type AccessLevel,
  Active,
  accessLevels,
  accountStatuses,
  isSameMethod,
  knownTags,
  type Roles,
} from '../../../shared/user.ts'
import type { ValueTexts } from '../../../ui/form/conflict/compare.ts'
import { mergeWithSaved } from '../../../ui/form/draft.ts'
import { blankOf, changesBetween, type Fields, formatValues, valuesOf } from '../../../ui/form/fields.ts'
import type { CreateUserBody, PatchUserBody, User } from '../../contract.ts'

type Tag = (typeof knownTags)[number]

/** The fields of a user that the form can change; an empty username means the user has none. */
export type UserValues = {
  name: string
  email: string
  credUsername: string
  status: AccessLevel
  tags: Tag[]
  roles: Roles
  providers: ProviderLink[]
}

/** The levels of roles and statuses. */
export const levels = [0, 1, 2] as const
export const statusOptions = levels.map((value) => ({ value, label: accountStatuses[value] }))
export const tagOptions = knownTags.map((value) => ({ value, label: value }))

export const userFields: Fields<Omit<UserValues, 'roles'>> = {
  name: { label: 'Name', blank: '', required: true },
  email: { label: 'Email', blank: '', required: true },
  credUsername: { label: 'Username', blank: '' },
  status: { label: 'Status', blank: Active, show: (status) => accountStatuses[status] },
  tags: { label: 'Tags', blank: [] },
  providers: { label: 'Providers', blank: [], show: (links) => links.map(accountName).join(', ') || 'None' },
}
const level = { blank: 0, show: (level: AccessLevel) => accessLevels[level] } as const
const roleFields: Fields<Roles> = { Tools: { label: 'Tools', ...level }, Admin: { label: 'Admin', ...level } }

export const blankValues: UserValues = { ...blankOf(userFields), roles: blankOf(roleFields) }

export const valuesOfUser = (user: User): UserValues => ({
  ...valuesOf(userFields, user),
  tags: knownTags.filter((tag) => user.tags.includes(tag)),
  roles: user.roles,
})

export const formatUserValues = (values: UserValues): ValueTexts => ({
  ...formatValues(userFields, values),
  ...formatValues(roleFields, values.roles),
})
const accountName = ({ providerId, accountId, accountUsername }: ProviderLink) =>
  `${providerId.replace(/^\d+_/, '')} ${accountUsername ?? accountId}`

/** Merges like `mergeWithSaved`, but role by role and provider by provider. */
export const mergeUserValues = (typed: UserValues, before: UserValues, after: UserValues): UserValues => ({
  ...mergeWithSaved(typed, before, after),
  roles: mergeWithSaved(typed.roles, before.roles, after.roles),
  providers: after.providers.filter((one) => !has(before.providers, one) || has(typed.providers, one)),
})
const has = (links: readonly ProviderLink[], one: ProviderLink) => links.some((link) => isSameMethod(link, one))

/** Whether saving removes the password, and with it the username. */
export const losesPassword = (before: UserValues, now: UserValues): boolean => hasPassword(before) && !hasPassword(now)

const usernameOf = ({ credUsername }: Pick<UserValues, 'credUsername'>): string | null => credUsername.trim() || null

type Changes = Omit<PatchUserBody, 'id'>

/** The changed fields only: another admin may have changed the others in the meantime. */
export function changesOf(before: UserValues, now: UserValues): Changes {
  const { roles, credUsername, ...changes } = changesBetween(before, now)
  return {
    ...changes,
    ...(roles && { roles: changesBetween(before.roles, roles) }),
    ...(credUsername !== undefined && !losesPassword(before, now) && { credUsername: usernameOf(now) }),
  }
}

/** The body that creates a user; a password can be set only afterwards. */
export const newUserOf = ({ providers: _none, ...values }: UserValues): CreateUserBody => ({
  ...values,
  credUsername: usernameOf(values),
})
