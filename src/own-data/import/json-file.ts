import { setImmediate } from 'node:timers/promises'
import * as z from 'zod/mini'
import { lineCounter, Unreadable } from '../../platform/table-file/unreadable.ts'
import { formatCount } from '../../shared/count.ts'
import { HttpError } from '../../shared/http-error.ts'
import { fileFormat, fileVersion, mostInFile } from '../contract.ts'
import { type Finding, type ImportingTool, type Spot, shortName, whatOf } from './draft.ts'
import { memberAt, notJson, type Place, piecesOf, trimmed, valueAt } from './json-pieces.ts'

/** Objects have few members; only the lists in them are long. */
const mostMembers = 1_000
const noExport = 'This is not a file of ToolBox or Uptime Kuma.'
const tooManyEntries = `A file can hold at most ${formatCount(mostInFile)} entries.`
/** No entry is nearly as long; one of a million members would hold everybody up. */
const longestItem = 100_000
/** Others have their turn after so many items. */
const atOnce = 200

const Item = z.record(z.string(), z.unknown())
type Item = z.infer<typeof Item>

/** What a file of ToolBox or Uptime Kuma holds. */
export async function readJson(text: string, tools: readonly ImportingTool[]): Promise<Finding[]> {
  const lineAt = lineCounter(text)
  const whole = trimmed(text, { from: 0, to: text.length })
  if (text[whole.from] !== '{') throw new Unreadable(lineAt(whole.from), text[whole.from] === '[' ? noExport : notJson)
  const pieces = await piecesOf(text, whole, { most: mostMembers, tooMany: noExport }, lineAt)
  const members = new Map<string, Place>()
  for (const piece of pieces) {
    const member = memberAt(text, piece)
    if (!member) throw new Unreadable(lineAt(piece.from), notJson)
    members.set(member.name, member.value)
  }
  const list = members.get('entries')
  const monitors = members.get('monitorList')
  const format = members.get('format')
  if (format) {
    checkVersion(text, { format, version: members.get('version') }, lineAt)
    if (!list) throw new Unreadable(lineAt(whole.to), 'The list of entries is missing.')
    return read(text, { list, name: 'entries' }, lineAt, (item, spot) => ownEntry(item, spot, tools))
  }
  if (monitors)
    return read(text, { list: monitors, name: 'monitorList' }, lineAt, (item, spot) => monitor(item, spot, tools))
  throw new Unreadable(lineAt(whole.from), noExport)
}

function checkVersion(
  text: string,
  { format, version }: { format: Place; version: Place | undefined },
  lineAt: (place: number) => number,
): void {
  if (valueAt(text, format) !== fileFormat) throw new Unreadable(lineAt(format.from), noExport)
  const given = version && valueAt(text, version)
  if (typeof given !== 'number' || !Number.isInteger(given) || given < 1)
    throw new Unreadable(lineAt((version ?? format).from), 'The version of this file is missing.')
  if (given > fileVersion)
    throw new Unreadable(
      lineAt((version ?? format).from),
      'This file was written by a newer version of ToolBox. Update this server first.',
    )
}

async function read(
  text: string,
  { list, name }: { list: Place; name: string },
  lineAt: (place: number) => number,
  find: (item: Item, spot: Spot) => Finding,
): Promise<Finding[]> {
  if (text[list.from] !== '[') throw new Unreadable(lineAt(list.from), 'This must be a list.')
  const items = await piecesOf(text, list, { most: mostInFile, tooMany: tooManyEntries }, lineAt)
  const lines = items.map(({ from }) => lineAt(from))
  const areApart = lines.every((line, index) => line !== lines[index - 1])
  const findings: Finding[] = []
  for (const [index, place] of items.entries()) {
    if (index % atOnce === atOnce - 1) await setImmediate()
    const spot: Spot = { line: lines[index] ?? 1, ...(!areApart && { at: `${name}[${index}]` }) }
    if (place.to - place.from > longestItem) {
      findings.push({ ...spot, tool: null, what: '', why: 'This entry is too long.' })
      continue
    }
    const value = valueAt(text, place)
    const { data: item } = Item.safeParse(value)
    const why = value === undefined ? notJson : 'This must be an object.'
    findings.push(item ? find(item, spot) : { ...spot, tool: null, what: '', why })
  }
  return findings
}

/** What is longer is none of our ids. */
const longestTool = 40
/** The fields of an entry in our own file that say what became of it, or whose it was there. */
const ofTheFile = ['tool', 'id', 'owner', 'days'] as const

function ownEntry(item: Item, spot: Spot, tools: readonly ImportingTool[]): Finding {
  const tool = tools.find(({ contract }) => contract.id === item.tool)
  const named = (JSON.stringify(item.tool) ?? 'without an id').slice(0, longestTool)
  if (!tool) return { ...spot, tool: null, what: shortName(item.name), why: `There is no tool ${named}.` }
  const body = Object.fromEntries(Object.entries(item).filter(([name]) => !ofTheFile.some((own) => own === name)))
  return { ...spot, tool, body, ...(typeof item.id === 'string' && { id: item.id }) }
}

function monitor(item: Item, spot: Spot, tools: readonly ImportingTool[]): Finding {
  const what = shortName(item.name)
  for (const tool of tools)
    try {
      const body = tool.imports.fromMonitor?.(item)
      if (body) return { ...spot, tool, body }
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      return { ...spot, tool: tool.contract.label, what: what || whatOf({ tool, body: item }), why: error.message }
    }
  return { ...spot, tool: null, what, why: 'No tool here does what monitors do.' }
}
