import { piecesOf, Unreadable } from '../../platform/imports/file.ts'
import { delimiterOf, type NamedRow, rowsOf, tooManyCells } from '../../platform/imports/rows.ts'
import { formatCount } from '../../shared/count.ts'
import { HttpError } from '../../shared/http-error.ts'
import { mostInFile } from '../contract.ts'
import type { Finding, ImportingTool } from './draft.ts'

/** The columns that entries of every tool have; `url` is what the entry is about. */
const common = ['tool', 'url', 'name', 'status', 'notifyAfter']
const what = 'entries'

const plain = (text: string) => text.toLowerCase().replaceAll(/[\s_-]/g, '')

/** Whether this first line is one of a table: a row of names, url among them. */
export const isTable = (line: string): boolean => {
  const head = line.slice(0, 1_000)
  return head.split(delimiterOf(head)).some((cell) => plain(cell.replaceAll('"', '')) === 'url')
}

/** What a table with a row of names on top holds. */
export async function readTable(text: Buffer, tools: readonly ImportingTool[]): Promise<Finding[]> {
  const names = [...common, ...tools.flatMap(({ imports }) => imports.columns)]
  const byName = new Map(names.map((name) => [plain(name), name]))
  const columnOf = (cell: string) => byName.get(plain(cell))
  const rows = await rowsOf(text, { columnOf, names, needed: 'url', most: mostInFile, what })
  return rows.map((row) => findingOf(row, tools))
}

function findingOf({ line, row, isTooLong }: NamedRow<string>, tools: readonly ImportingTool[]): Finding {
  const { tool: toolName, url, name, status, notifyAfter, ...own } = row
  const what = (name ?? url ?? '').slice(0, 200)
  const tool = toolOf(toolName, tools)
  const refused = (why: string): Finding => ({ line, tool: tool?.contract.label ?? null, what, why })
  if (!tool) return refused(`There is no tool ${toolName?.slice(0, 40)}.`)
  if (isTooLong) return refused(tooManyCells)
  const foreign = Object.keys(own).find((column) => !tool.imports.columns.includes(column))
  if (foreign) return refused(`Entries of ${tool.contract.label} have no ${foreign}.`)
  try {
    const body = {
      ...tool.imports.fromRow(own as Record<string, string>),
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

/** What is longer is no URL, however it goes on. */
const longestUrl = 10_000

/** What a list of URLs holds, one on each line; lines that are empty or begin with # are left out. */
export async function readList(text: Buffer, tools: readonly ImportingTool[]): Promise<Finding[]> {
  const tool = tools.find(({ imports }) => imports.isUsual)
  if (!tool) throw new Unreadable(1, 'No tool here takes a list of URLs.')
  const findings: Finding[] = []
  let [line, begun] = [0, '']
  const add = (whole: string) => {
    line += 1
    const url = whole.trim()
    if (url === '' || url.startsWith('#')) return
    if (findings.length >= mostInFile)
      throw new Unreadable(line, `A file can hold at most ${formatCount(mostInFile)} ${what}.`)
    findings.push({ line, tool, body: { [tool.imports.field]: url } })
  }
  for await (const piece of piecesOf(text)) {
    const [first = '', ...more] = piece.split('\n')
    begun = (begun + first).slice(0, longestUrl)
    for (const next of more) {
      add(begun)
      begun = next.slice(0, longestUrl)
    }
  }
  add(begun)
  return findings
}
