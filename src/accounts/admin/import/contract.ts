import * as z from 'zod/mini'
import { ImportLine, importReportOf } from '../../../shared/schemas/import-report.ts'

export const importUsersPath = '/api/v1/admin/users/import'

/** The largest file, in bytes, and how many users one may name. */
export const largestFile = 2 * 1_024 * 1_024
export const mostInFile = 5_000

const True = z.optional(z.enum(['true', 'false'], { error: 'Use true or false.' }))
/** `dry` only says what would come of it; `skip` leaves out what is refused. */
export const ImportUsersQuery = z.strictObject({ dry: True, skip: True })

export const ImportUsersReport = importReportOf(ImportLine)
export type ImportUsersReport = z.infer<typeof ImportUsersReport>
/** Without the report if the file was not looked at. */
export const RefusedUsersImport = z.extend(z.partial(ImportUsersReport), {
  error: z.string(),
  fields: z.optional(z.record(z.string(), z.string())),
})
