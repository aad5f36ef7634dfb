import type { ImportLine } from '../../shared/schemas/import-report.ts'
import { CallError } from '../data/api.ts'

/** `tool` is which kind of entry it is. */
export type Line = ImportLine & { tool?: string | null }
export type Report = {
  created: number
  changed: number
  same: number
  refused: readonly { line: number; why: string }[]
  lines: readonly Line[]
}

/** The report of an import that was refused, with the sentence that says so. */
export function refusalOf(error: unknown): (Report & { error: string }) | undefined {
  const data = error instanceof CallError ? error.answer?.data : undefined
  return isRefusal(data) ? data : undefined
}
const isRefusal = (data: unknown): data is Report & { error: string } => Array.isArray(Object(data).refused)
