import * as z from 'zod/mini'
import { importReportOf, ImportLine as PlainLine, refusedImportOf } from '../shared/schemas/import-report.ts'

export const schemaPath = '/api/v1/user/export/schema'
export const importPath = '/api/v1/user/import'

/** The format and version in an export; a newer ToolBox may write a higher version. */
export const fileFormat = 'toolbox-user'
export const fileVersion = 1

/** `largestFile` is in bytes, `mostInFile` in entries. */
export const largestFile = 20 * 1_024 * 1_024
export const mostInFile = 5_000

const True = z.optional(z.enum(['true', 'false'], { error: 'Use true or false.' }))

export const ExportQuery = z.strictObject({ secrets: True })

/** The outcome for an item of a file; `tool` is null if unknown. */
const ImportLine = z.extend(PlainLine, { tool: z.nullable(z.string()) })

export const ImportReport = importReportOf(ImportLine)
export const RefusedImport = refusedImportOf(ImportReport)

/** `more` has sentences about further consequences. */
const Summary = z.object({
  entries: z.int(),
  channels: z.int(),
  sessions: z.int(),
  apiKeys: z.int(),
  more: z.array(z.string()),
})
export type Summary = z.infer<typeof Summary>

export const ownDataCalls = {
  'GET /api/v1/user/export/schema': { answer: z.record(z.string(), z.unknown()) },
  'GET /api/v1/user/summary': { answer: Summary },
  /** Deletes only the caller; a query that names another user is refused. */
  'DELETE /api/v1/user': { query: z.strictObject({}), answer: z.object({ id: z.string() }) },
} as const

declare module '../shared/calls.ts' {
  interface Calls extends Table<typeof ownDataCalls> {}
}
