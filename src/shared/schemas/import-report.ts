import * as z from 'zod/mini'

export const outcomes = ['created', 'changed', 'same', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

/** The line on which something in a file begins; `at` says where, such as `entries[3]`, if several begin on one line. */
const spot = { line: z.int(), at: z.optional(z.string()) }

/** What becomes of something in a file, and what it is; `why` it is refused, or the same, or what changes. */
export const ImportLine = z.object({
  ...spot,
  outcome: z.enum(outcomes),
  what: z.string(),
  why: z.optional(z.string()),
})
export type ImportLine = z.infer<typeof ImportLine>

const counts = {
  created: z.int(),
  changed: z.int(),
  same: z.int(),
  refused: z.array(z.object({ ...spot, why: z.string() })),
}

/** How many of a file were created and changed, how many are the same already, and what was refused; `lines` is all of it in order. */
export const importReportOf = <Line extends z.ZodMiniType>(line: Line) => z.object({ ...counts, lines: z.array(line) })

const True = z.optional(z.enum(['true', 'false'], { error: 'Use true or false.' }))
/** `dry` only says what would come of it; `skip` leaves out what is refused. */
export const ImportQuery = z.strictObject({ dry: True, skip: True })

/** The answer of a 400 or 429: without the report if the file was not looked at. */
export const refusedImportOf = <Shape extends z.core.$ZodShape>(report: z.ZodMiniObject<Shape>) =>
  z.extend(z.partial(report), { error: z.string(), fields: z.optional(z.record(z.string(), z.string())) })
