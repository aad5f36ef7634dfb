import * as z from 'zod/mini'

export const roleNames = ['Admin', 'Tools'] as const
export type RoleName = (typeof roleNames)[number]
export const accessLevels = { 0: 'No Access', 1: 'Full Access', 2: 'Admin Access' } as const
export type AccessLevel = keyof typeof accessLevels

export const accountStatuses = { 0: 'Blocked', 1: 'Inactive', 2: 'Active' } as const
export const Blocked = 0
export const Inactive = 1
export const Active = 2
export const knownTags = ['Verified', 'Admin', 'Moderator'] as const

const zeroToTwo = [z.literal(0), z.literal(1), z.literal(2)] as const
export const Level = z.union(zeroToTwo, { error: 'Use a level from 0 to 2.' })
export const AccountStatus = z.union(zeroToTwo, { error: 'Use a status from 0 to 2.' })
export const Roles = z.object({ Admin: Level, Tools: Level })
export type Roles = z.infer<typeof Roles>

export const ProviderLink = z.object({
  providerId: z.string(),
  accountId: z.string(),
  accountUsername: z.nullable(z.string()),
})

/** One of a user's ways in: an account at a provider, or the password. */
export type WayIn = Pick<z.infer<typeof ProviderLink>, 'providerId' | 'accountId'>
export const isSameWay = (one: WayIn, other: WayIn): boolean =>
  one.providerId === other.providerId && one.accountId === other.accountId

/** Who is signed in, as every screen knows them. */
export const SessionUser = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  status: z.int(),
  tags: z.array(z.string()),
  roles: Roles,
  providers: z.array(ProviderLink),
  credUsername: z.nullable(z.string()),
})
export type SessionUser = z.infer<typeof SessionUser>

/** Whether these roles hold at least this level of that role; nobody's roles hold none. */
export const can = (user: { roles: Roles } | null | undefined, role: RoleName, level: AccessLevel): boolean =>
  (user?.roles[role] ?? 0) >= level
