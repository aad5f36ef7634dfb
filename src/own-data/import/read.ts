import { beginOf, firstLine, Unreadable } from '../../platform/imports/file.ts'
import type { EntryRow, ImportingTool } from './draft.ts'
import { readJson } from './json-file.ts'
import { isTable, readEntryTable, readList } from './table-file.ts'

/** The types that a file may be sent as. Text may be any of them. */
export const fileTypes = ['application/json', 'text/csv', 'text/plain'] as const

/** What a file holds. Throws Unreadable if it is none that can be imported. */
export async function readFile(text: Buffer, type: string, tools: readonly ImportingTool[]): Promise<EntryRow[]> {
  if (type === 'application/json') return readJson(text, tools)
  if (type === 'text/csv') return readEntryTable(text, tools)
  const begin = text[(await beginOf(text)).from]
  if (begin === 0x7b || begin === 0x5b) return readJson(text, tools)
  const rows = isTable(firstLine(text)) ? await readEntryTable(text, tools) : await readList(text, tools)
  if (rows.length === 0) throw new Unreadable(1, 'This file is empty.')
  return rows
}
