import * as z from 'zod/mini'

/** The schemas of user.ts, in a separate file because the first screen doesn't need them. */
const zeroToTwo = [z.literal(0), z.literal(1), z.literal(2)] as const
export const Level = z.union(zeroToTwo, { error: 'Use a level from 0 to 2.' })
export const AccountStatus = z.union(zeroToTwo, { error: 'Use a status from 0 to 2.' })
export const Roles = z.object({ Admin: Level, Tools: Level })

export const ProviderLink = z.object({
  providerId: z.string(),
  accountId: z.string(),
  accountUsername: z.nullable(z.string()),
})

export const SessionUser = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  status: z.int(),
  tags: z.array(z.string()),
  roles: Roles,
  providers: z.array(ProviderLink),
  credUsername: z.nullable(z.string()),
  /** Set if the user has to set up a second factor before anything else. */
  mustSetUp: z.optional(z.boolean()),
})
