import * as z from 'zod/mini'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import type { LiveEvent } from './events.ts'

const window: Milliseconds = seconds(1)
/** Events of rows that a stream gets one by one within this time; the others are one event at its end. */
const oneByOne = 5

/** What `run` and `entry` events say of their row. */
const Row = z.object({ tool: z.string(), id: z.string(), act: z.optional(z.string()) })
export type Row = z.infer<typeof Row>

/** The row that an event is about, if it is about one. */
export function rowOf({ type, data }: LiveEvent): Row | undefined {
  return type === 'run' || type === 'entry' ? Row.safeParse(data).data : undefined
}

/** Keeps many changes at once from flooding a stream: `write` gets those that exceed a few a second as one event of their tools. */
export function floodGate(write: (text: string) => void) {
  /** Whether any row of a tool did more than run. */
  const gathered = new Map<string, { edited: boolean }>()
  let passed = 0
  let timer: NodeJS.Timeout | undefined

  function endWindow() {
    timer = undefined
    // While there are many, all are gathered.
    passed = gathered.size > 0 ? oneByOne : 0
    if (gathered.size === 0) return
    write(`event: changes\ndata: ${JSON.stringify(Object.fromEntries(gathered))}\n\n`)
    gathered.clear()
    timer = setTimeout(endWindow, window)
  }

  return {
    /** Writes the text of the event, or gathers its row. */
    write(row: Row, text: string) {
      timer ??= setTimeout(endWindow, window)
      passed += 1
      if (passed <= oneByOne) return write(text)
      gathered.set(row.tool, { edited: row.act !== undefined || gathered.get(row.tool)?.edited === true })
    },
    close: () => clearTimeout(timer),
  }
}
