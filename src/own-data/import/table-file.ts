import { delimiterOf, rowsOf, type TableRow } from '../../platform/table-file/rows.ts'
import { Unreadable } from '../../platform/table-file/unreadable.ts'
import { formatCount } from '../../shared/count.ts'
import { HttpError } from '../../shared/http-error.ts'
import { mostInFile } from '../contract.ts'
import type { Finding, ImportingTool } from './draft.ts'

/** The columns that entries of every tool have; `url` is what the entry is about. */
const common = ['tool', 'url', 'name', 'status', 'notifyAfter']
const tooMany = `A file can hold at most ${formatCount(mostInFile)} entries.`

const plain = (text: string) => text.toLowerCase().replaceAll(/[\s_-]/g, '')

/** Whether this begins like a table: with a row of names, url among them. */
export const isTable = (text: string): boolean => {
  const head = text.slice(0, text.includes('\n') ? text.indexOf('\n') : undefined).slice(0, 1_000)
  return namesIn(head.split(delimiterOf(head))).includes('url')
}

const namesIn = (cells: readonly string[]) => cells.map((cell) => plain(cell.replaceAll('"', '')))

/** What a table with a row of names on top holds. */
export function readTable(text: string, tools: readonly ImportingTool[]): Finding[] {
  const [head, ...rows] = rowsOf(text, { most: mostInFile + 2 })
  const columns = columnsOf(head, tools)
  const next = rows[mostInFile]
  if (next) throw new Unreadable(next.line, tooMany)
  if (rows.length === 0) throw new Unreadable(head?.line ?? 1, 'There is no row below the names of the columns.')
  return rows.map((row) => findingOf(row, columns, tools))
}

/** The names of the columns as we write them. */
function columnsOf(head: TableRow | undefined, tools: readonly ImportingTool[]): string[] {
  const known = [...common, ...tools.flatMap(({ imports }) => imports.columns)]
  const line = head?.line ?? 1
  const names = (head?.cells ?? []).map((cell) => {
    const name = known.find((one) => plain(one) === plain(cell))
    if (name) return name
    throw new Unreadable(line, `There is no column ${cell.slice(0, 40) || 'without a name'}. Use ${known.join(', ')}.`)
  })
  if (!names.includes('url')) throw new Unreadable(line, 'The first line must name the columns, url among them.')
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) throw new Unreadable(line, `The column ${twice} is there twice.`)
  return names
}

function findingOf({ line, cells }: TableRow, columns: readonly string[], tools: readonly ImportingTool[]): Finding {
  const row = Object.fromEntries(columns.flatMap((name, index) => (cells[index] ? [[name, cells[index]]] : [])))
  const { tool: toolName, url, name, status, notifyAfter, ...own } = row
  const what = (name ?? url ?? '').slice(0, 200)
  const tool = toolOf(toolName, tools)
  const refused = (why: string): Finding => ({ line, tool: tool?.contract.label ?? null, what, why })
  if (!tool) return refused(`There is no tool ${toolName?.slice(0, 40)}.`)
  if (cells.length > columns.length) return refused('This row has more cells than there are columns.')
  const foreign = Object.keys(own).find((column) => !tool.imports.columns.includes(column))
  if (foreign) return refused(`Entries of ${tool.contract.label} have no ${foreign}.`)
  try {
    const body = {
      ...tool.imports.fromRow(own),
      ...(url !== undefined && { [tool.imports.field]: url }),
      ...(name !== undefined && { name }),
      ...(status !== undefined && { status: statusOf(status) }),
      ...(notifyAfter !== undefined && { notifyAfter: Number(notifyAfter) }),
    }
    return url === undefined ? refused('Enter a URL.') : { line, tool, body }
  } catch (error) {
    if (error instanceof HttpError) return refused(error.message)
    throw error
  }
}

function toolOf(name: string | undefined, tools: readonly ImportingTool[]): ImportingTool | undefined {
  if (name === undefined) return tools.find(({ imports }) => imports.isUsual)
  return tools.find(({ contract }) => [contract.id, contract.label].some((one) => plain(one) === plain(name)))
}

const yes = ['active', 'true', 'yes', '1', 'on']
const no = ['inactive', 'false', 'no', '0', 'off', 'paused']
/** Anything else stays as it is, for the contract to refuse. */
function statusOf(text: string): boolean | string {
  const word = text.toLowerCase()
  if (yes.includes(word)) return true
  return no.includes(word) ? false : text
}

/** What a list of URLs holds, one on each line; lines that are empty or begin with # are left out. */
export function readList(text: string, tools: readonly ImportingTool[]): Finding[] {
  const tool = tools.find(({ imports }) => imports.isUsual)
  if (!tool) throw new Unreadable(1, 'No tool here takes a list of URLs.')
  const findings: Finding[] = []
  let line = 0
  for (const { 0: whole } of text.matchAll(/[^\n]*(?:\n|$)/g)) {
    line += 1
    const url = whole.trim()
    if (url === '' || url.startsWith('#')) continue
    if (findings.length >= mostInFile) throw new Unreadable(line, tooMany)
    findings.push({ line, tool, body: { [tool.imports.field]: url } })
  }
  return findings
}
