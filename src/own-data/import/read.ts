import { textIn } from '../../platform/table-file/text.ts'
import { Unreadable } from '../../platform/table-file/unreadable.ts'
import type { Finding, ImportingTool } from './draft.ts'
import { readJson } from './json-file.ts'
import { isTable, readList, readTable } from './table-file.ts'

/** The types that a file may be sent as. Text may be any of them. */
export const fileTypes = ['application/json', 'text/csv', 'text/plain'] as const

/** What a file holds. Throws Unreadable if it is none that can be imported. */
export async function readFile(
  file: { bytes: Uint8Array; type: string },
  tools: readonly ImportingTool[],
): Promise<Finding[]> {
  const text = textIn(file.bytes)
  const [begin = ''] = /\S/.exec(text) ?? []
  if (begin === '') throw new Unreadable(1, 'This file is empty.')
  if (file.type === 'application/json') return readJson(text, tools)
  if (file.type === 'text/csv') return readTable(text, tools)
  if (begin === '{' || begin === '[') return readJson(text, tools)
  const findings = isTable(text) ? readTable(text, tools) : readList(text, tools)
  if (findings.length === 0) throw new Unreadable(1, 'This file is empty.')
  return findings
}
