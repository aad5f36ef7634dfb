import { piecesOf, Unreadable } from '../platform/imports/file.ts'
import { delimiterOf, plain, readTable, saysDelimiter } from '../platform/imports/rows.ts'
import { formatCount } from '../shared/count.ts'
import { HttpError } from '../shared/http-error.ts'
import { mostInFile } from './contract.ts'
import { type Draft, type EntryRow, type ImportingTool, shortName } from './draft.ts'

/** The columns that entries of every tool have; `url` is what the entry is about. */
const common = ['tool', 'url', 'name', 'status', 'notifyAfter']
const of = 'entries'

/** Whether this first line is one of a table: a row of names, url among them. */
export const isTable = (line: string): boolean => {
  const head = line.slice(0, 1_000)
  if (saysDelimiter.test(head)) return true
  return head.split(delimiterOf(head)).some((cell) => plain(cell.replaceAll('"', '')) === 'url')
}

/** What a table with a row of names on top holds. */
export function readEntryTable(text: Buffer, tools: readonly ImportingTool[]): Promise<EntryRow[]> {
  const names = [...common, ...tools.flatMap(({ imports }) => imports.columns)]
  const byName = new Map(names.map((name) => [plain(name), name]))
  return readTable(text, {
    columnOf: (cell) => byName.get(plain(cell)),
    names,
    needed: 'url',
    most: mostInFile,
    of,
    aboutOf: ({ tool, name, url }) => ({
      what: shortName(name ?? url),
      tool: toolOf(tool, tools)?.contract.label ?? null,
    }),
    draftOf: (row) => draftOf(row, tools),
  })
}

function draftOf(row: Partial<Record<string, string>>, tools: readonly ImportingTool[]): Draft {
  const { tool: toolName, url, name, status, notifyAfter, ...own } = row
  const refused = (why: string) => new HttpError(400, why)
  const tool = toolOf(toolName, tools)
  if (!tool) throw refused(`There is no tool ${toolName?.slice(0, 40)}.`)
  const foreign = Object.keys(own).find((column) => !tool.imports.columns.includes(column))
  if (foreign) throw refused(`Entries of ${tool.contract.label} have no ${foreign}.`)
  if (url === undefined) throw refused('Enter a URL.')
  const body = {
    ...tool.imports.fromRow(own as Record<string, string>),
    [tool.imports.field]: url,
    ...(name !== undefined && { name }),
    ...(status !== undefined && { status: statusOf(status) }),
    ...(notifyAfter !== undefined && { notifyAfter: Number(notifyAfter) }),
  }
  return { tool, body }
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

const moreThanUrl = 'Write one URL on each line and nothing else, or a table with a column url.'

/** What a list of URLs holds, one on each line; lines that are empty and comments are left out. */
export async function readList(text: Buffer, tools: readonly ImportingTool[]): Promise<EntryRow[]> {
  const tool = tools.find(({ imports }) => imports.isUsual)
  if (!tool) throw new Unreadable(1, 'No tool here takes a list of URLs.')
  const rows: EntryRow[] = []
  let [line, begun] = [0, '']
  const add = (whole: string) => {
    line += 1
    // Without a space before it, # begins a part of the URL.
    const url = whole.replace(/\s#.*$/, '').trim()
    if (url === '' || url.startsWith('#')) return
    if (rows.length >= mostInFile)
      throw new Unreadable(line, `A file can hold at most ${formatCount(mostInFile)} ${of}.`)
    const isMore = /\s|[,;](?:$|https?:)/i.test(url)
    const about = { tool: tool.contract.label, what: shortName(url), why: moreThanUrl }
    rows.push({ line, ...(isMore ? about : { tool, body: { [tool.imports.field]: url } }) })
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
  return rows
}
