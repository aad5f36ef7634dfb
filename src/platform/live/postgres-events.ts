import type pg from 'pg'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { ask, discard } from '../db/postgres/client.ts'
import { DatabaseUnavailable } from '../db/unavailable.ts'
import type { Watch } from '../health.ts'
import { eventsMissed, LiveEvent } from './events.ts'

const channel = 'toolbox_events'
/** PostgreSQL takes payloads below 8000 bytes. */
const maxBytes = 7_900
/** Events kept while the connection is being made again; older ones are dropped. */
const maxWaiting = 1_000
const longestPause = seconds(10)
/** Between messages to the others: each is a write to disk for PostgreSQL, and no screen shows changes faster. */
const apart: Milliseconds = 50

export type Timing = {
  /** Between signs of life. */
  beat: Milliseconds
  /** For every answer, and for making a connection. */
  patience: Milliseconds
  /** Before the first attempt to connect again. */
  pause: Milliseconds
  /** For sending the last events and closing. */
  close: Milliseconds
}
const usualTiming: Timing = { beat: seconds(5), patience: seconds(5), pause: seconds(1), close: seconds(1) }

/** What an instance says to the others. */
const Said = z.object({ from: z.string(), events: z.array(LiveEvent) })

type Line = {
  send(events: readonly LiveEvent[]): void
  close(): Promise<void>
}

/**
 * One connection that sends this instance's events to the others and receives theirs. It is made again whenever it breaks
 * or falls silent; whenever it begins to listen, `missed` stands for what others said before.
 */
export function listenOnPostgres(line: {
  newClient: (patience: Milliseconds) => pg.Client
  me: string
  log: Logger
  watch: Watch
  elapsed: () => Milliseconds
  onEvents: (events: LiveEvent[]) => void
  timing?: Timing | undefined
}): Line {
  const { newClient, me, log, watch, elapsed, onEvents, timing = usualTiming } = line
  let client: pg.Client | undefined
  let isListening = false
  let isInterrupted = false
  let hasWarned = false
  let closed = false
  let waiting: LiveEvent[] = []
  let talking: Promise<void> | undefined
  let saidAt = Number.NEGATIVE_INFINITY
  let pause = timing.pause
  let timer: NodeJS.Timeout | undefined

  async function connect() {
    watch.begin()
    const fresh = newClient(timing.patience)
    client = fresh
    fresh.on('error', (error) => again(fresh, error))
    fresh.on('end', () => again(fresh, new Error('The connection ended.')))
    fresh.on('notification', ({ payload }) => {
      const said = read(payload)
      if (said && said.from !== me) onEvents(said.events)
    })
    try {
      await fresh.connect()
      await ask(fresh, [{ text: `listen ${channel}` }], timing)
    } catch (error) {
      return again(fresh, error)
    }
    // It may have broken together with its last answer: then the timer is for the next one.
    if (closed || client !== fresh) return
    if (isInterrupted) log.info('live events of other instances arrive again')
    isInterrupted = false
    isListening = true
    onEvents([eventsMissed])
    void talk(fresh)
  }

  /** Anybody who may connect may notify, and another version may send what this one doesn't know. */
  function read(payload = '') {
    const said = Said.safeParse(parsed(payload))
    if (said.success) return said.data
    if (!hasWarned) log.warn('a live event of another instance, or of somebody else, cannot be read')
    hasWarned = true
    return undefined
  }

  function again(which: pg.Client, error: unknown) {
    if (which !== client || closed) return
    client = undefined
    isListening = false
    discard(which)
    // Logs only the first failure: the later ones have the same reason.
    if (!isInterrupted) log.warn({ err: error }, 'live events of other instances are interrupted')
    isInterrupted = true
    clearTimeout(timer)
    timer = setTimeout(connect, pause)
    pause = Math.min(pause * 2, longestPause)
  }

  /** One round trip at a time. */
  function talk(on: pg.Client): Promise<void> {
    talking ??= roundTrip(on).finally(() => {
      talking = undefined
    })
    return talking
  }

  /** Sends what is waiting, or a sign of life if nothing is. */
  async function roundTrip(on: pg.Client) {
    clearTimeout(timer)
    const sent = waiting
    waiting = []
    if (sent.length > 0) saidAt = elapsed()
    watch.begin()
    try {
      await ask(on, [sent.length > 0 ? notification(sent) : { text: 'select 1' }], timing)
      watch.progress()
      pause = timing.pause
    } catch (error) {
      if (error instanceof DatabaseUnavailable) waiting = [...sent, ...waiting].slice(-maxWaiting)
      return again(on, error)
    }
    talkSoon(on)
  }

  /** At once, or after the pause between messages, if something is waiting; otherwise when the next sign of life is due. */
  function talkSoon(on: pg.Client) {
    // The connection may have broken together with its last answer: then the timer is for the next one.
    if (closed || on !== client) return
    clearTimeout(timer)
    const wait = waiting.length > 0 ? Math.max(0, saidAt + apart - elapsed()) : timing.beat
    timer = setTimeout(() => talk(on), wait)
  }

  function notification(events: readonly LiveEvent[]): pg.QueryConfig {
    const payloads = batches(me, events, (event) =>
      log.warn({ type: event.type }, 'an event is too large for other instances'),
    )
    return { text: 'select pg_notify($1, payload) from unnest($2::text[]) payload', values: [channel, payloads] }
  }

  void connect()
  return {
    send(events) {
      waiting = [...waiting, ...events].slice(-maxWaiting)
      if (client && isListening && !talking) talkSoon(client)
    },
    async close() {
      closed = true
      clearTimeout(timer)
      if (!client) return
      const last = client
      const late = setTimeout(() => discard(last), timing.close)
      await talking
      if (isListening && waiting.length > 0) await talk(last)
      await last.end()
      clearTimeout(late)
    },
  }
}

function parsed(payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch {
    return undefined
  }
}

/** Events in as few payloads as their size allows, in order. */
export function batches(from: string, events: readonly LiveEvent[], tooLarge: (event: LiveEvent) => void): string[] {
  const full: LiveEvent[][] = [[]]
  for (const event of events) {
    const alone = Buffer.byteLength(JSON.stringify({ from, events: [event] }))
    if (alone > maxBytes) tooLarge(event)
    else if (Buffer.byteLength(JSON.stringify({ from, events: [...full.at(-1)!, event] })) <= maxBytes)
      full.at(-1)!.push(event)
    else full.push([event])
  }
  return full.filter((batch) => batch.length > 0).map((batch) => JSON.stringify({ from, events: batch }))
}
