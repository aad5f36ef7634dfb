import type * as z from 'zod/mini'
import type * as shapes from './schemas/user-shapes.ts'

export const roleNames = ['Admin', 'Tools'] as const
export type RoleName = (typeof roleNames)[number]
export const accessLevels = { 0: 'No Access', 1: 'Full Access', 2: 'Admin Access' } as const
export type AccessLevel = keyof typeof accessLevels

/** For example `Admin 2, Tools 1`, or an en dash for none. */
export const formatRoles = (roles: Roles): string =>
  roleNames
    .filter((name) => roles[name] > 0)
    .map((name) => `${name} ${roles[name]}`)
    .join(', ') || '–'

export const accountStatuses = { 0: 'Blocked', 1: 'Inactive', 2: 'Active' } as const
const statuses: Readonly<Record<number, string>> = accountStatuses
export const statusText = (status: number): string => statuses[status] ?? 'Unknown'
export const Blocked = 0
export const Inactive = 1
export const Active = 2
export const knownTags = ['Verified', 'Admin', 'Moderator'] as const

export type Roles = z.infer<typeof shapes.Roles>
export type SessionUser = z.infer<typeof shapes.SessionUser>

/** One of a user's sign-in methods: an account at a provider, or the password. */
export type SignInMethod = Pick<z.infer<typeof shapes.ProviderLink>, 'providerId' | 'accountId'>
export const isSameMethod = (one: SignInMethod, other: SignInMethod): boolean =>
  one.providerId === other.providerId && one.accountId === other.accountId

/** A missing user has level 0. */
export const can = (user: { roles: Roles } | null | undefined, role: RoleName, level: AccessLevel): boolean =>
  (user?.roles[role] ?? 0) >= level
