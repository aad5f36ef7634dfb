import { setImmediate } from 'node:timers/promises'
import * as z from 'zod/mini'
import { formatCount } from '../../shared/count.ts'
import { HttpError } from '../../shared/http-error.ts'
import { fileFormat, fileVersion, mostInFile } from '../contract.ts'
import { type Finding, type ImportingTool, whatOf } from './draft.ts'
import { memberAt, notJson, type Place, piecesOf, trimmed, valueAt } from './json-pieces.ts'
import { lineCounter, Unreadable } from './unreadable.ts'

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
    return read(text, list, lineAt, (item, line) => ownEntry(item, line, tools))
  }
  if (monitors) return read(text, monitors, lineAt, (item, line) => monitor(item, line, tools))
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
  list: Place,
  lineAt: (place: number) => number,
  find: (item: Item, line: number) => Finding,
): Promise<Finding[]> {
  if (text[list.from] !== '[') throw new Unreadable(lineAt(list.from), 'This must be a list.')
  const items = await piecesOf(text, list, { most: mostInFile, tooMany: tooManyEntries }, lineAt)
  const findings: Finding[] = []
  for (const [index, place] of items.entries()) {
    if (index % atOnce === atOnce - 1) await setImmediate()
    const line = lineAt(place.from)
    if (place.to - place.from > longestItem) {
      findings.push({ line, tool: null, what: '', why: 'This entry is too long.' })
      continue
    }
    const value = valueAt(text, place)
    const { data: item } = Item.safeParse(value)
    const why = value === undefined ? notJson : 'This must be an object.'
    findings.push(item ? find(item, line) : { line, tool: null, what: '', why })
  }
  return findings
}

/** The fields of an entry in our own file that say what became of it, or whose it was there. */
const ofTheFile = ['tool', 'id', 'owner', 'days'] as const

function ownEntry(item: Item, line: number, tools: readonly ImportingTool[]): Finding {
  const tool = tools.find(({ contract }) => contract.id === item.tool)
  const what = typeof item.name === 'string' ? item.name : ''
  if (!tool) return { line, tool: null, what, why: `There is no tool ${JSON.stringify(item.tool) ?? 'without an id'}.` }
  const body = Object.fromEntries(Object.entries(item).filter(([name]) => !ofTheFile.some((own) => own === name)))
  return { line, tool, body, ...(typeof item.id === 'string' && { id: item.id }) }
}

function monitor(item: Item, line: number, tools: readonly ImportingTool[]): Finding {
  const what = typeof item.name === 'string' ? item.name.slice(0, 200) : ''
  for (const tool of tools)
    try {
      const body = tool.imports.fromMonitor?.(item)
      if (body) return { line, tool, body }
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      return { line, tool: tool.contract.label, what: what || whatOf({ tool, body: item }), why: error.message }
    }
  return { line, tool: null, what, why: 'No tool here does what monitors do.' }
}
