import * as z from 'zod/mini'

export const outcomes = ['created', 'changed', 'same', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

/** The line on which an item of a file begins; `at` is its path, such as `entries[3]`, if others begin there too. */
const position = { line: z.int(), at: z.optional(z.string()) }

/** `what` names the item; `why` explains a refusal, a duplicate or a change. */
export const ImportLine = z.object({
  ...position,
  outcome: z.enum(outcomes),
  what: z.string(),
  why: z.optional(z.string()),
})
export type ImportLine = z.infer<typeof ImportLine>

const counts = {
  created: z.int(),
  changed: z.int(),
  same: z.int(),
  refused: z.array(z.object({ ...position, why: z.string() })),
}

/** `lines` has every item in file order. */
export const importReportOf = <Line extends z.ZodMiniType>(line: Line) => z.object({ ...counts, lines: z.array(line) })

const True = z.optional(z.enum(['true', 'false'], { error: 'Use true or false.' }))
/** `dry` only previews the import; `skip` imports the rest if items are refused. */
export const ImportQuery = z.strictObject({ dry: True, skip: True })

/** The body of a 400 or 429, without the report if the file was not read. */
export const refusedImportOf = <Shape extends z.core.$ZodShape>(report: z.ZodMiniObject<Shape>) =>
  z.extend(z.partial(report), { error: z.string(), fields: z.optional(z.record(z.string(), z.string())) })
