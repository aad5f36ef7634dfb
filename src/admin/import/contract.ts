import { ImportLine, importReportOf, refusedImportOf } from '../../shared/schemas/import-report.ts'

export const importUsersPath = '/api/v1/admin/users/import'

/** The largest file, in bytes, and how many users one may name. */
export const largestFile = 2 * 1_024 * 1_024
export const mostInFile = 5_000

export const ImportUsersReport = importReportOf(ImportLine)
export const RefusedUsersImport = refusedImportOf(ImportUsersReport)
