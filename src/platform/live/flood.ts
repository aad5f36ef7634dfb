import * as z from 'zod/mini'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import type { LiveEvent } from './events.ts'

const window: Milliseconds = seconds(1)
/** Events of rows that a stream gets one by one within this time; of the others it hears at its end. */
const oneByOne = 5
/** More rows of a tool than this are not named. */
const mostIds = 250
/** So many characters of an id tell rows apart well enough: whoever takes one for another only looks once too often. */
const beginning = 8

/** What `run` and `entry` events say of their row. */
const Row = z.object({ tool: z.string(), id: z.string(), act: z.optional(z.string()) })
export type Row = z.infer<typeof Row>

/** How the ids of rows that changed begin. `counts` is whether rows came or went, `edited` whether any did more than run. */
type Changes = { ids: Set<string>; counts: boolean; edited: boolean }

/** The row that an event is about, if it is about one. */
export function rowOf({ type, data }: LiveEvent): Row | undefined {
  return type === 'run' || type === 'entry' ? Row.safeParse(data).data : undefined
}

/** Keeps many changes at once from flooding a stream: `write` gets those that exceed a few a second as one event. */
export function floodGate(write: (text: string) => void) {
  const gathered = new Map<string, Changes>()
  let passed = 0
  let timer: NodeJS.Timeout | undefined

  function endWindow() {
    timer = undefined
    // While there are many, all are gathered.
    passed = gathered.size > 0 ? oneByOne : 0
    if (gathered.size === 0) return
    write(`event: changes\ndata: ${textOf(gathered)}\n\n`)
    gathered.clear()
    timer = setTimeout(endWindow, window)
  }

  return {
    /** Writes the text of the event, or gathers its row. */
    write(row: Row, text: string) {
      timer ??= setTimeout(endWindow, window)
      passed += 1
      if (passed <= oneByOne) return write(text)
      const changes = gathered.get(row.tool) ?? { ids: new Set(), counts: false, edited: false }
      changes.ids.add(row.id.slice(0, beginning))
      changes.counts ||= row.act === 'created' || row.act === 'deleted'
      changes.edited ||= row.act !== undefined
      gathered.set(row.tool, changes)
    },
    close: () => clearTimeout(timer),
  }
}

const textOf = (gathered: ReadonlyMap<string, Changes>) =>
  JSON.stringify(
    Object.fromEntries(
      [...gathered].map(([tool, { ids, ...rest }]) => [tool, { ids: ids.size > mostIds ? null : [...ids], ...rest }]),
    ),
  )
