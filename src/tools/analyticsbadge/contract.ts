import * as z from 'zod/mini'
import { longest } from './terms.ts'
import { analyticsbadgeTool } from './tool.ts'

export const analyticsbadge = analyticsbadgeTool

export const Tag = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_]{1,64}$/, `Use 1 to ${longest.tag} letters, digits and underscores.`))

export const ViewsToday = z.object({ views: z.int() })
export type ViewsToday = z.infer<typeof ViewsToday>

/** A tag's views in total, and by source on each day (UTC, oldest first). `lastView` is epoch milliseconds, null before the first. */
export const BadgeStats = z.object({
  tag: z.string(),
  views: z.int(),
  lastView: z.nullable(z.int()),
  days: z.array(z.object({ day: z.string(), views: z.int(), camo: z.int(), other: z.int() })),
})
export type BadgeStats = z.infer<typeof BadgeStats>
