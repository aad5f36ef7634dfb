import * as z from 'zod/mini'
import { largestBase, Tag } from './contract.ts'

const count = { error: 'must be a whole number from 0 on' }
const Count = z.int(count).check(z.minimum(0, count))
const base = { error: `must be a whole number from 0 to ${largestBase}` }
const hidden = { error: 'must be 0 or 1' }

/** A badge as this server writes it: its number is never negative. */
const BadgeRow = z
  .object({
    tag: Tag,
    camo: Count,
    other: Count,
    last_view: Count,
    base: z.int(base).check(z.minimum(0, base), z.maximum(largestBase, base)),
    reset_views: Count,
    hidden: z.union([z.literal(0), z.literal(1)], hidden),
  })
  .check(
    z.refine(({ camo, other, reset_views }) => reset_views <= camo + other, {
      error: 'must be at most its views',
      path: ['reset_views'],
    }),
  )
const BadgeDayRow = z.object({
  tag: Tag,
  day: z.string().check(z.regex(/^\d{4}-\d\d-\d\d$/, { error: 'must be a day, such as 2026-11-23' })),
  camo: Count,
  other: Count,
})
const shapes: Readonly<Record<string, z.ZodMiniType>> = { badge: BadgeRow, badge_day: BadgeDayRow }

/** Why a row of these tables that an operator imports can't be one of ours. */
export function refuseRow(table: string, row: Readonly<Record<string, unknown>>): string | undefined {
  const [issue] = shapes[table]?.safeParse(row).error?.issues ?? []
  return issue && `${issue.path.join('.')} ${issue.message}.`
}
