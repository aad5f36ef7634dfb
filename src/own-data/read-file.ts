import * as z from 'zod/mini'
import type { AnyEntryToolServer, Imports } from '../entries/tool-server.ts'
import { atOnce, beginOf, isSpace, newLine, piecesOf, UnreadableFile } from '../platform/imports/file.ts'
import { catchHttpError, type ImportRow, type RowPosition, type RowSubject } from '../platform/imports/import-file.ts'
import { pacer } from '../platform/imports/pacer.ts'
import { delimiterLine, delimiterOf, normalizeName, readTable } from '../platform/imports/rows.ts'
import { formatCount } from '../shared/count.ts'
import { HttpError } from '../shared/http-error.ts'
import { isVisible } from '../shared/schemas/names.ts'
import { fileFormat, fileVersion, mostInFile } from './contract.ts'

export type ImportingTool = AnyEntryToolServer & { imports: Imports }

/** `id` is the entry's id at the time of export, if the file has it. */
export type Draft = { tool: ImportingTool; id?: string; body: Readonly<Record<string, unknown>> }
export type EntryRow = ImportRow<Draft>

export const supportsImport = (tool: AnyEntryToolServer): tool is ImportingTool => tool.imports !== undefined

const longestWhat = 200
/** A name, truncated for lists; empty if it isn't text. */
export const shortName = (name: unknown): string => (typeof name === 'string' ? name.slice(0, longestWhat) : '')

/** A draft's name, else the public form of its URL; never a secret. */
export function aboutOf({ tool, body }: Draft): RowSubject {
  const { field, identity } = tool.imports
  const about = body[field]
  const named = typeof about === 'string' ? identity(about) : ''
  return { what: shortName(body.name) || shortName(named), tool: tool.contract.label }
}

/** The file's object has few members; only its lists are long. */
const mostMembers = 1_000
const unknownFormatMessage = "This isn't a ToolBox or Uptime Kuma file."
const tooManyEntries = `A file can hold at most ${formatCount(mostInFile)} entries.`
/** Limits of an entry in bytes and in parts (except days), as many are in memory. Real ones are far smaller. */
const longestItem = 100_000
const mostParts = 200
const mostOfDays = 500
const tooLong = 'This entry is too long.'
/** Both formats have about 200 field names. Each further name takes memory while the file is read. */
const mostNames = 1_000
/** The maximum length of a format or version in bytes. */
const longestShortValue = 100

const Item = z.record(z.string(), z.unknown())
type Item = z.infer<typeof Item>

export async function readJson(text: Buffer, tools: readonly ImportingTool[]): Promise<EntryRow[]> {
  const { from, line } = await beginOf(text)
  if (text[from] !== openBrace)
    throw new UnreadableFile(line, text[from] === openBracket ? unknownFormatMessage : notJson)
  const limits = { most: mostMembers, tooMany: unknownFormatMessage }
  const { pieces, endLine } = await piecesIn(text, { from, to: text.length, line }, limits)
  const members = new Map<string, Place>()
  for (const piece of pieces) {
    const member = memberAt(text, piece)
    if (!member)
      throw new UnreadableFile(piece.line, piece.to - piece.from > longestItem ? unknownFormatMessage : notJson)
    members.set(member.name, member.value)
  }
  const list = members.get('entries')
  const monitors = members.get('monitorList')
  const format = members.get('format')
  if (format) {
    checkVersion(text, { format, version: members.get('version') })
    if (!list) throw new UnreadableFile(endLine, 'The list of entries is missing.')
    return readItems(text, { list, name: 'entries' }, (item, position) => toOwnEntryRow(item, position, tools))
  }
  if (monitors)
    return readItems(text, { list: monitors, name: 'monitorList' }, (item, position) =>
      toMonitorRow(item, position, tools),
    )
  throw new UnreadableFile(line, unknownFormatMessage)
}

function checkVersion(text: Buffer, { format, version }: { format: Place; version: Place | undefined }): void {
  const shortValueAt = (place: Place) => (place.to - place.from > longestShortValue ? undefined : valueAt(text, place))
  if (shortValueAt(format) !== fileFormat) throw new UnreadableFile(format.line, unknownFormatMessage)
  const versionValue = version && shortValueAt(version)
  const { line } = version ?? format
  if (typeof versionValue !== 'number' || !Number.isInteger(versionValue) || versionValue < 1)
    throw new UnreadableFile(line, 'The version of this file is missing.')
  if (versionValue > fileVersion)
    throw new UnreadableFile(line, 'This file was written by a newer version of ToolBox. Update this server first.')
}

async function readItems(
  text: Buffer,
  { list, name }: { list: Place; name: string },
  find: (item: Item, position: RowPosition) => EntryRow,
): Promise<EntryRow[]> {
  if (text[list.from] !== openBracket) throw new UnreadableFile(list.line, `“${name}” must be a list.`)
  const { pieces } = await piecesIn(text, list, { most: mostInFile, tooMany: tooManyEntries })
  const areApart = pieces.every(({ line }, index) => line !== pieces[index - 1]?.line)
  const pause = pacer()
  const rows: EntryRow[] = []
  const names = new Set<string>()
  for (const [index, place] of pieces.entries()) {
    await pause()
    const position: RowPosition = { line: place.line, ...(!areApart && { at: `${name}[${index}]` }) }
    const refused = (why: string): EntryRow => ({ ...position, tool: null, what: '', why })
    if (place.to - place.from > longestItem || (await partsOf(text, place)) > mostParts) {
      rows.push(refused(tooLong))
      continue
    }
    const value = valueAt(text, place)
    addNames(value, names)
    if (names.size > mostNames) throw new UnreadableFile(place.line, unknownFormatMessage)
    const { data: item } = Item.safeParse(value)
    rows.push(item ? find(item, position) : refused(value === undefined ? notJson : 'This must be an object.'))
  }
  return rows
}

function addNames(value: unknown, names: Set<string>): void {
  if (!(value instanceof Object)) return
  for (const [name, inside] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(name)
    addNames(inside, names)
  }
}

/** Doesn't count the 90 days of history in an exported entry. */
async function partsOf(text: Buffer, place: Place): Promise<number> {
  if (place.parts <= mostParts || text[place.from] !== openBrace) return place.parts
  const { pieces } = await piecesIn(text, place, { most: Number.POSITIVE_INFINITY, tooMany: tooLong })
  const isDays = ({ from }: Place) => text.toString('latin1', from, from + 6) === '"days"'
  return pieces.reduce(
    (sum, piece) => sum + 1 + (isDays(piece) ? Math.max(0, piece.parts - mostOfDays) : piece.parts),
    0,
  )
}

/** Messages quote at most this many characters of an unknown tool id; known ids are shorter. */
const longestTool = 40
/** Fields of an exported entry that aren't part of a body. */
const exportOnlyFields = ['tool', 'id', 'owner', 'days'] as const

function toOwnEntryRow(item: Item, position: RowPosition, tools: readonly ImportingTool[]): EntryRow {
  const tool = tools.find(({ contract }) => contract.id === item.tool)
  const named = (JSON.stringify(item.tool) ?? 'without an id').slice(0, longestTool)
  if (!tool) return { ...position, tool: null, what: shortName(item.name), why: `There is no tool ${named}.` }
  const body = Object.fromEntries(
    Object.entries(item).filter(([name]) => !exportOnlyFields.some((own) => own === name)),
  )
  // Earlier releases accepted names without a visible character.
  if (typeof body.name === 'string' && !isVisible(body.name)) body.name = null
  return { ...position, tool, body, ...(typeof item.id === 'string' && { id: item.id }) }
}

function toMonitorRow(item: Item, position: RowPosition, tools: readonly ImportingTool[]): EntryRow {
  const what = shortName(item.name)
  const tool = tools.find(({ imports }) => imports.fromMonitor)
  if (!tool) return { ...position, tool: null, what, why: 'No tool on this server imports monitors.' }
  const refused = (why: string): EntryRow => {
    const about = aboutOf({ tool, body: item })
    return { ...position, ...about, what: what || about.what, why }
  }
  return catchHttpError(() => ({ ...position, tool, body: tool.imports.fromMonitor?.(item) ?? {} }), refused)
}

/** `from` is its first byte, `to` the byte after its last, `line` where it begins; `parts` estimates its values. */
type Place = { from: number; to: number; line: number; parts: number }
type Limits = { most: number; tooMany: string }

const deepest = 50
/** The maximum number of bytes before a member's value. The names in both formats are much shorter. */
const longestName = 1_000
const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const partners: { readonly [closing: number]: number } = { [closeBrace]: openBrace, [closeBracket]: openBracket }
/** Whether this byte begins an object or a list. */
export const isOpening = (byte: number | undefined): boolean => byte === openBrace || byte === openBracket

const notJson = 'This is not valid JSON.'

/**
 * Splits the object or list at this place, and returns the line on which it ends. Parses nothing yet, so that an
 * unrelated file takes no more memory than its text, and each item's position is known.
 */
export async function piecesIn(
  text: Buffer,
  { from, to, line }: Pick<Place, 'from' | 'to' | 'line'>,
  { most, tooMany }: Limits,
): Promise<{ pieces: Place[]; endLine: number }> {
  const pieces: Place[] = []
  const open: number[] = []
  let piece: Place | undefined
  let endLine: number | undefined
  // The line of the last character that isn't a space.
  let last = line
  let isInString = false
  const pause = pacer()
  let pauseAt = from

  const add = (at: number) => {
    // Empty brackets contain no piece.
    if (piece || pieces.length > 0 || text[at] === comma) pieces.push(piece ?? { from: at, to: at, line, parts: 0 })
    if (pieces.length > most) throw new UnreadableFile(pieces.at(-1)?.line ?? line, tooMany)
    piece = undefined
  }

  for (let at = from; at < to; at += 1) {
    // Use >= because skipping an escaped character may jump over pauseAt.
    if (at >= pauseAt) {
      pauseAt = at + atOnce
      await pause()
    }
    const byte = text[at]!
    if (byte === newLine) line += 1
    if (isSpace(byte)) continue
    last = line
    if (endLine !== undefined) throw new UnreadableFile(endLine, notJson)
    const closes = !isInString && partners[byte]
    if (closes && open.pop() !== closes) throw new UnreadableFile(line, notJson)
    if (open.length === 0 && at > from) {
      add(at)
      endLine = line
      continue
    }
    if (!isInString && byte === comma && open.length === 1) {
      add(at)
      continue
    }
    if (open.length > 0) {
      piece ??= { from: at, to: at, line, parts: 0 }
      piece.to = at + 1
    }
    if (byte === quote) isInString = !isInString
    else if (isInString && byte === backslash) at += 1
    else if (!isInString && byte === comma) piece!.parts += 1
    else if (!isInString && isOpening(byte)) {
      if (piece) piece.parts += 1
      if (open.push(byte) > deepest) throw new UnreadableFile(line, 'This is nested too deeply.')
    }
  }
  if (endLine === undefined) throw new UnreadableFile(last, 'The file ends too early.')
  return { pieces, endLine }
}

/** Undefined if this isn't a member or its name is far too long. */
export function memberAt(text: Buffer, place: Place): { name: string; value: Place } | undefined {
  const begin = text.toString('latin1', place.from, Math.min(place.to, place.from + longestName))
  const [head, written] = /^("(?:[^"\\]|\\.)*")\s*:\s*/.exec(begin) ?? []
  const name = written === undefined ? undefined : valueAt(Buffer.from(written, 'latin1'))
  if (head === undefined || typeof name !== 'string') return undefined
  return { name, value: { ...place, from: place.from + head.length, line: place.line + head.split('\n').length - 1 } }
}

/** Undefined if the value isn't JSON. */
export function valueAt(
  text: Buffer,
  { from, to }: { from: number; to: number } = { from: 0, to: text.length },
): unknown {
  try {
    return JSON.parse(text.toString('utf8', from, to))
  } catch {
    return undefined
  }
}

/** The columns for entries of all tools; `url` is the tool's main field. */
const common = ['tool', 'url', 'name', 'status', 'notifyAfter']

/** Whether a text with this first line is a table: a `sep=` line, or column names that include url. */
export const isTable = (line: string): boolean => {
  const head = line.slice(0, 1_000)
  if (delimiterLine.test(head)) return true
  return head.split(delimiterOf(head)).some((cell) => normalizeName(cell.replaceAll('"', '')) === 'url')
}

export function readEntryTable(text: Buffer, tools: readonly ImportingTool[]): Promise<EntryRow[]> {
  const names = [...common, ...tools.flatMap(({ imports }) => imports.columns)]
  const byName = new Map(names.map((name) => [normalizeName(name), name]))
  return readTable(text, {
    columnOf: (cell) => byName.get(normalizeName(cell)),
    names,
    needed: 'url',
    most: mostInFile,
    rowNoun: 'entries',
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
  if (!tool) throw refused(`There is no tool ${toolName?.slice(0, longestTool)}.`)
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
  if (name === undefined) return tools.find(({ imports }) => imports.isDefault)
  return tools.find(({ contract }) =>
    [contract.id, contract.label].some((one) => normalizeName(one) === normalizeName(name)),
  )
}

const yes = ['active', 'true', 'yes', '1', 'on']
const no = ['inactive', 'false', 'no', '0', 'off', 'paused']
/** Unknown text stays as it is, for the contract to refuse. */
function statusOf(text: string): boolean | string {
  const word = text.toLowerCase()
  if (yes.includes(word)) return true
  return no.includes(word) ? false : text
}

/** Longer lines aren't valid URLs, so the rest isn't kept in memory. */
const longestUrl = 10_000

const urlPerLineMessage = 'Write one URL on each line, or use a table with a column named url.'

/** Reads a list of URLs, one per line; skips empty lines and comments. */
export async function readList(text: Buffer, tools: readonly ImportingTool[]): Promise<EntryRow[]> {
  const tool = tools.find(({ imports }) => imports.isDefault)
  if (!tool) throw new UnreadableFile(1, 'No tool on this server imports a list of URLs.')
  const rows: EntryRow[] = []
  let [line, partialLine] = [0, '']
  const add = (lineText: string) => {
    line += 1
    // Without a space before it, # starts the URL's fragment.
    const url = lineText.replace(/\s#.*$/, '').trim()
    if (url === '' || url.startsWith('#')) return
    if (rows.length >= mostInFile) throw new UnreadableFile(line, tooManyEntries)
    // A comma or semicolon may belong to the URL or end it, so it is refused, except in a query, where it is common.
    const isMore = /\s|^[^?#]*[,;]|[,;](?:$|https?:)/i.test(url)
    const about = { tool: tool.contract.label, what: shortName(url), why: urlPerLineMessage }
    rows.push({ line, ...(isMore ? about : { tool, body: { [tool.imports.field]: url } }) })
  }
  for await (const piece of piecesOf(text)) {
    const [first = '', ...more] = piece.split('\n')
    partialLine = (partialLine + first).slice(0, longestUrl)
    for (const next of more) {
      add(partialLine)
      partialLine = next.slice(0, longestUrl)
    }
  }
  add(partialLine)
  return rows
}
