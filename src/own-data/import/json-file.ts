import * as z from 'zod/mini'
import { beginOf, Unreadable } from '../../platform/imports/file.ts'
import { orWhy, type Spot } from '../../platform/imports/import-file.ts'
import { memberAt, notJson, type Place, piecesIn, valueAt } from '../../platform/imports/json-pieces.ts'
import { pacer } from '../../platform/imports/pacer.ts'
import { formatCount } from '../../shared/count.ts'
import { fileFormat, fileVersion, mostInFile } from '../contract.ts'
import { aboutOf, type EntryRow, type ImportingTool, shortName } from './draft.ts'

/** Objects have few members; only the lists in them are long. */
const mostMembers = 1_000
const noExport = 'This is not a file of ToolBox or Uptime Kuma.'
const tooManyEntries = `A file can hold at most ${formatCount(mostInFile)} entries.`
/** No entry is nearly as long, or consists of as much beside its days; many such entries are in memory at once. */
const longestItem = 100_000
const mostParts = 200
const mostOfDays = 500
const tooLong = 'This entry is too long.'
/** Both files have some 200 names of fields. To know another one takes memory for as long as the file is read. */
const mostNames = 1_000
/** Formats and versions. */
const longestMark = 100

const Item = z.record(z.string(), z.unknown())
type Item = z.infer<typeof Item>

/** What a file of ToolBox or Uptime Kuma holds. */
export async function readJson(text: Buffer, tools: readonly ImportingTool[]): Promise<EntryRow[]> {
  const { from, line } = await beginOf(text)
  if (text[from] !== 0x7b) throw new Unreadable(line, text[from] === 0x5b ? noExport : notJson)
  const limits = { most: mostMembers, tooMany: noExport }
  const { pieces, endLine } = await piecesIn(text, { from, to: text.length, line }, limits)
  const members = new Map<string, Place>()
  for (const piece of pieces) {
    const member = memberAt(text, piece)
    if (!member) throw new Unreadable(piece.line, piece.to - piece.from > longestItem ? noExport : notJson)
    members.set(member.name, member.value)
  }
  const list = members.get('entries')
  const monitors = members.get('monitorList')
  const format = members.get('format')
  if (format) {
    checkVersion(text, { format, version: members.get('version') })
    if (!list) throw new Unreadable(endLine, 'The list of entries is missing.')
    return read(text, { list, name: 'entries' }, (item, spot) => ownEntry(item, spot, tools))
  }
  if (monitors) return read(text, { list: monitors, name: 'monitorList' }, (item, spot) => monitor(item, spot, tools))
  throw new Unreadable(line, noExport)
}

function checkVersion(text: Buffer, { format, version }: { format: Place; version: Place | undefined }): void {
  const markAt = (place: Place) => (place.to - place.from > longestMark ? undefined : valueAt(text, place))
  if (markAt(format) !== fileFormat) throw new Unreadable(format.line, noExport)
  const given = version && markAt(version)
  const { line } = version ?? format
  if (typeof given !== 'number' || !Number.isInteger(given) || given < 1)
    throw new Unreadable(line, 'The version of this file is missing.')
  if (given > fileVersion)
    throw new Unreadable(line, 'This file was written by a newer version of ToolBox. Update this server first.')
}

async function read(
  text: Buffer,
  { list, name }: { list: Place; name: string },
  find: (item: Item, spot: Spot) => EntryRow,
): Promise<EntryRow[]> {
  if (text[list.from] !== 0x5b) throw new Unreadable(list.line, 'This must be a list.')
  const { pieces } = await piecesIn(text, list, { most: mostInFile, tooMany: tooManyEntries })
  const areApart = pieces.every(({ line }, index) => line !== pieces[index - 1]?.line)
  const pause = pacer()
  const rows: EntryRow[] = []
  const names = new Set<string>()
  for (const [index, place] of pieces.entries()) {
    await pause()
    const spot: Spot = { line: place.line, ...(!areApart && { at: `${name}[${index}]` }) }
    const refused = (why: string): EntryRow => ({ ...spot, tool: null, what: '', why })
    if (place.to - place.from > longestItem || (await partsOf(text, place)) > mostParts) {
      rows.push(refused(tooLong))
      continue
    }
    const value = valueAt(text, place)
    addNames(value, names)
    if (names.size > mostNames) throw new Unreadable(place.line, noExport)
    const { data: item } = Item.safeParse(value)
    rows.push(item ? find(item, spot) : refused(value === undefined ? notJson : 'This must be an object.'))
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

/** What an item consists of, without the 90 days that our own file has of each entry. */
async function partsOf(text: Buffer, place: Place): Promise<number> {
  if (place.parts <= mostParts || text[place.from] !== 0x7b) return place.parts
  const { pieces } = await piecesIn(text, place, { most: Number.POSITIVE_INFINITY, tooMany: tooLong })
  const isDays = ({ from }: Place) => text.toString('latin1', from, from + 6) === '"days"'
  return pieces.reduce(
    (sum, piece) => sum + 1 + (isDays(piece) ? Math.max(0, piece.parts - mostOfDays) : piece.parts),
    0,
  )
}

/** What is longer is none of our ids. */
const longestTool = 40
/** The fields of an entry in our own file that say what became of it, or whose it was there. */
const ofTheFile = ['tool', 'id', 'owner', 'days'] as const

function ownEntry(item: Item, spot: Spot, tools: readonly ImportingTool[]): EntryRow {
  const tool = tools.find(({ contract }) => contract.id === item.tool)
  const named = (JSON.stringify(item.tool) ?? 'without an id').slice(0, longestTool)
  if (!tool) return { ...spot, tool: null, what: shortName(item.name), why: `There is no tool ${named}.` }
  const body = Object.fromEntries(Object.entries(item).filter(([name]) => !ofTheFile.some((own) => own === name)))
  return { ...spot, tool, body, ...(typeof item.id === 'string' && { id: item.id }) }
}

function monitor(item: Item, spot: Spot, tools: readonly ImportingTool[]): EntryRow {
  const what = shortName(item.name)
  for (const tool of tools) {
    if (!tool.imports.fromMonitor) continue
    const refused = (why: string): EntryRow => {
      const about = aboutOf({ tool, body: item })
      return { ...spot, ...about, what: what || about.what, why }
    }
    return orWhy(() => ({ ...spot, tool, body: tool.imports.fromMonitor?.(item) ?? {} }), refused)
  }
  return { ...spot, tool: null, what, why: 'No tool here does what monitors do.' }
}
