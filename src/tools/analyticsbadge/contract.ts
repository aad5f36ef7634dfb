import * as z from 'zod/mini'
import { canonicalizeEmail } from '../../shared/schemas/email.ts'
import { analyticsbadgeNames, longestTag } from './terms.ts'

export const analyticsbadge = analyticsbadgeNames

export const Tag = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_]{1,64}$/, `Use 1 to ${longestTag} letters, digits and underscores.`))

export const TagParams = z.object({ tag: Tag })

/** A tag's totals, and the UTC days with views, oldest first. `lastView`: epoch ms, null before the first view. */
export const BadgeStats = z.object({
  tag: z.string(),
  views: z.int(),
  lastView: z.nullable(z.int()),
  days: z.array(z.object({ day: z.string(), views: z.int(), camo: z.int(), other: z.int() })),
})
export type BadgeStats = z.infer<typeof BadgeStats>

export const recentDays = 30

/** `views` includes `base`; `today`, `week` and `month` count UTC days; `recent`: daily views, oldest first. */
export const OwnedBadge = z.object({
  tag: z.string(),
  views: z.int(),
  lastView: z.nullable(z.int()),
  base: z.int(),
  hidden: z.boolean(),
  claimedAt: z.int(),
  owner: z.string(),
  today: z.int(),
  week: z.int(),
  month: z.int(),
  recent: z.array(z.int()),
})
export type OwnedBadge = z.infer<typeof OwnedBadge>

const ClaimBody = z.nullish(
  z.strictObject({
    owner: z.optional(
      z.string({ error: 'Enter the email of a user.' }).check(z.trim(), canonicalizeEmail, z.maxLength(320)),
    ),
  }),
)

/** Far more than any badge shows, yet small enough for exact sums. */
export const largestBase = 1e12
const baseError = { error: 'Use a whole number from 0 to 1,000,000,000,000.' }
const PatchBadgeBody = z.strictObject({
  base: z.optional(z.int(baseError).check(z.gte(0, baseError), z.lte(largestBase, baseError))),
  hidden: z.optional(z.boolean({ error: 'Use true or false.' })),
  reset: z.optional(z.literal(true, { error: 'Use true, or leave it out.' })),
})
export type PatchBadgeBody = z.infer<typeof PatchBadgeBody>

export const badgeCalls = {
  'GET /api/v1/badges/today': { answer: z.object({ views: z.int() }) },
  'GET /api/v1/analyticsbadge/:tag/stats': { params: TagParams, answer: BadgeStats },
  'GET /api/v1/user/badges': { answer: z.array(OwnedBadge) },
  'POST /api/v1/analyticsbadge/:tag/claim': { params: TagParams, body: ClaimBody, answer: OwnedBadge, status: 201 },
  'PATCH /api/v1/analyticsbadge/:tag': { params: TagParams, body: PatchBadgeBody, answer: OwnedBadge },
  'DELETE /api/v1/analyticsbadge/:tag/claim': { params: TagParams, answer: TagParams },
} as const

declare module '../../shared/calls.ts' {
  interface Calls extends Table<typeof badgeCalls> {}
}
