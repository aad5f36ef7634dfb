import type { Finding, ImportingTool } from './draft.ts'
import { readJson } from './json-file.ts'
import { isTable, readList, readTable } from './table-file.ts'
import { Unreadable } from './unreadable.ts'

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

/** The text without its byte order mark, with lines that end with \n alone. */
function textIn(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
  } catch {
    throw new Unreadable(lineOfWrong(bytes), 'This is not text in UTF-8. Save the file as UTF-8 and try again.')
  }
}

/** The first line that can't be decoded. */
function lineOfWrong(bytes: Uint8Array): number {
  const text = new TextDecoder().decode(bytes)
  return text.slice(0, text.indexOf('\uFFFD')).split(/\r\n?|\n/).length
}
