import * as z from 'zod/mini'

export const exportPath = '/api/v1/user/export'
/** The JSON Schema of the file. */
export const schemaPath = '/api/v1/user/export/schema'
export const importPath = '/api/v1/user/import'
export const summaryPath = '/api/v1/user/summary'
export const ownPath = '/api/v1/user'

/** What a file of one's own data calls itself; a newer ToolBox may write a higher version. */
export const fileFormat = 'toolbox-user'
export const fileVersion = 1

/** The largest file that is imported, in bytes, and how many entries one may name. */
export const largestFile = 20 * 1_024 * 1_024
export const mostInFile = 5_000

const True = z.optional(z.enum(['true', 'false'], { error: 'Use true or false.' }))

export const ExportQuery = z.strictObject({ secrets: True })
/** `dry` only says what would come of it; `skip` leaves out what is refused. */
export const ImportQuery = z.strictObject({ dry: True, skip: True })

export const outcomes = ['created', 'changed', 'same', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

/** What becomes of something in a file: the line on which it begins, and what it is; `why` it is refused, or the same. */
export const ImportLine = z.object({
  line: z.int(),
  outcome: z.enum(outcomes),
  tool: z.nullable(z.string()),
  what: z.string(),
  why: z.optional(z.string()),
})
export type ImportLine = z.infer<typeof ImportLine>

/** How many entries were created and changed, how many are the same already, and what was refused; `lines` is all of it in order. */
export const ImportReport = z.object({
  created: z.int(),
  changed: z.int(),
  same: z.int(),
  refused: z.array(z.object({ line: z.int(), why: z.string() })),
  lines: z.array(ImportLine),
})
export type ImportReport = z.infer<typeof ImportReport>
/** Without the report if the file was not looked at. */
export const RefusedImport = z.extend(z.partial(ImportReport), {
  error: z.string(),
  fields: z.optional(z.record(z.string(), z.string())),
})

/** What would be deleted with one's account: how much of each, and in sentences what else becomes of it. */
export const Summary = z.object({
  entries: z.int(),
  channels: z.int(),
  sessions: z.int(),
  apiKeys: z.int(),
  more: z.array(z.string()),
})
export type Summary = z.infer<typeof Summary>

export const DeletedUser = z.object({ id: z.string() })
