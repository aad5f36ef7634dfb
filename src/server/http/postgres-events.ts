import pg from 'pg'
import type { Logger } from 'pino'
import { seconds } from '../../shared/time.ts'
import type { LiveEvent } from './events.ts'

const channel = 'toolbox_events'
/** PostgreSQL takes payloads below 8000 bytes. */
const maxBytes = 7_900
/** Events kept for a connection that is being made again; older ones are let go. */
const maxWaiting = 1_000
const firstPause = seconds(1)
const longestPause = seconds(30)

type Line = {
  send(events: readonly LiveEvent[]): void
  close(): Promise<void>
}

/** One connection that sends this instance's events to the others and hears theirs; made again whenever it breaks. */
export function listenOnPostgres(line: {
  url: string
  me: string
  log: Logger
  heard: (events: LiveEvent[]) => void
}): Line {
  const { url, me, log, heard } = line
  let client: pg.Client | undefined
  let waiting: LiveEvent[] = []
  let sending = false
  let closed = false
  let pause = firstPause
  let retry: NodeJS.Timeout | undefined

  async function connect() {
    const fresh = new pg.Client({ connectionString: url, keepAlive: true, connectionTimeoutMillis: seconds(10) })
    fresh.on('error', (error) => again(fresh, error))
    fresh.on('end', () => again(fresh, new Error('The connection ended.')))
    fresh.on('notification', ({ payload }) => {
      const { from, events } = JSON.parse(payload ?? '{}')
      if (from !== me) heard(events)
    })
    try {
      await fresh.connect()
      await fresh.query(`listen ${channel}`)
    } catch (error) {
      return again(fresh, error)
    }
    if (closed) return void fresh.end()
    client = fresh
    pause = firstPause
    void flush()
  }

  const broken = new WeakSet<pg.Client>()
  function again(which: pg.Client, error: unknown) {
    if (closed || broken.has(which)) return
    broken.add(which)
    client = undefined
    which.end().catch(() => {})
    log.warn({ err: error, pause }, 'live events of other instances are interrupted')
    retry = setTimeout(connect, pause)
    pause = Math.min(pause * 2, longestPause)
  }

  async function flush() {
    if (!client || sending || waiting.length === 0) return
    sending = true
    const payloads = batches(me, waiting, (event) =>
      log.warn({ type: event.type }, 'an event is too large for other instances'),
    )
    waiting = []
    try {
      await client.query(`select pg_notify($1, payload) from unnest($2::text[]) payload`, [channel, payloads])
    } catch (error) {
      log.warn({ err: error }, 'events did not reach the other instances')
    }
    sending = false
    void flush()
  }

  void connect()
  return {
    send(events) {
      waiting = [...waiting, ...events].slice(-maxWaiting)
      setImmediate(flush)
    },
    async close() {
      closed = true
      clearTimeout(retry)
      await client?.end()
    },
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
