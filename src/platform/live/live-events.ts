import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import type { Secrets } from '../crypto/secrets.ts'
import type { Db } from '../db/open.ts'
import { discard, queryWithTimeout } from '../db/postgres/client.ts'
import { DatabaseUnavailable } from '../db/unavailable.ts'
import type { Health } from '../health.ts'
import type { Metrics } from '../metrics.ts'
import { type Events, eventsMissed, LiveEvent } from './events.ts'

export type LiveEvents = Events & {
  /** Calls the listener with every event of every instance, until the returned function is called. */
  subscribe(listener: (event: LiveEvent) => void): () => void
}

type EventsContext = {
  elapsed: () => Milliseconds
  log: Logger
  db: Pick<Db, 'newClient'>
  health: Pick<Health, 'watch'>
  secrets: Pick<Secrets, 'messages'>
  metrics: Pick<Metrics, 'foreignMessages'>
}

/** Delivers live events to this instance directly, and to other instances over PostgreSQL if that is the database. */
export function createEvents(context: EventsContext, timing = defaultTiming): LiveEvents {
  const { newClient } = context.db
  const listeners = new Set<(event: LiveEvent) => void>()
  const publishHere = (events: readonly LiveEvent[]) => {
    for (const event of events) for (const listener of listeners) listener(event)
  }
  const others = newClient && listenOnPostgres(newClient, context, timing, publishHere)
  return {
    publish(events) {
      publishHere(events)
      others?.send(events)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      listeners.clear()
      await others?.close()
    },
  }
}

const channel = 'toolbox_events'
/** PostgreSQL accepts payloads below 8000 bytes; encrypting them as text adds a third and some overhead. */
const maxBytes = 5_800
/** The most events that wait to be sent, besides `missed`. */
const maxWaiting = 1_000
/** Replaces the oldest events by `missed` if there are too many. */
const limitEvents = (events: LiveEvent[]) =>
  events.length <= maxWaiting ? events : [eventsMissed, ...events.slice(-maxWaiting)]
const longestPause = seconds(10)
/** The gap between messages: each makes PostgreSQL write to disk, and no screen shows changes faster. */
const minGap: Milliseconds = 50

type Timing = {
  /** Between heartbeats. */
  beat: Milliseconds
  /** For each response, and for connecting. */
  timeout: Milliseconds
  /** Before the first attempt to reconnect. */
  pause: Milliseconds
  /** For sending the last events and closing. */
  close: Milliseconds
}
const defaultTiming: Timing = { beat: seconds(5), timeout: seconds(5), pause: seconds(1), close: seconds(1) }

// Encrypted, since any database user who may connect can receive and send notifications.
/** A message between instances. A replay has an old `after`, by ended transactions, or a `number` already seen. */
const InstanceMessage = z.object({ from: z.string(), after: z.int(), number: z.int(), events: z.array(LiveEvent) })
type InstanceMessage = z.infer<typeof InstanceMessage>

/** One past the highest ID of the transactions that have ended; it only rises. */
const transactions = { text: 'select txid_snapshot_xmax(txid_current_snapshot())::text as ended' }

/** Exchanges events with other instances, and reconnects. Publishes `missed` once it listens, for earlier events. */
function listenOnPostgres(
  newClient: (connectTimeout: Milliseconds) => pg.Client,
  { elapsed, log, health, secrets, metrics }: EventsContext,
  timing: Timing,
  onEvents: (events: readonly LiveEvent[]) => void,
) {
  const instanceId = randomUUID()
  const watch = health.watch('events')
  let client: pg.Client | undefined
  let isListening = false
  let isInterrupted = false
  let number = 0
  let closed = false
  let pendingEvents: LiveEvent[] = []
  let roundTripInFlight: Promise<void> | undefined
  let sentAt = Number.NEGATIVE_INFINITY
  let pause = timing.pause
  let timer: NodeJS.Timeout | undefined

  async function connect() {
    watch.begin()
    const fresh = newClient(timing.timeout)
    client = fresh
    fresh.on('error', (error) => reconnect(fresh, error))
    fresh.on('end', () => reconnect(fresh, new Error('The connection ended.')))
    const receiver = listener()
    fresh.on('notification', ({ payload = '' }) => receiver.receive(payload))
    try {
      await fresh.connect()
      await queryWithTimeout(fresh, { text: `listen ${channel}` }, timing)
      receiver.startFrom(await newestEndedTransaction(fresh))
    } catch (error) {
      return reconnect(fresh, error)
    }
    // The connection may have broken right after its last response; a reconnection is then scheduled already.
    if (closed || client !== fresh) return
    if (isInterrupted) log.info('Live events of other instances arrive again')
    isInterrupted = false
    isListening = true
    onEvents([eventsMissed])
    void exchange(fresh)
  }

  /** Accepts each message once, and only messages from after this instance began to listen. */
  function listener() {
    const last = new Map<string, number>()
    /** The transaction at which listening began; messages wait until it is known. */
    let begin: number | undefined
    let early: string[] = []

    function receive(payload: string) {
      if (begin === undefined) return void early.push(payload)
      const message = read(payload)
      // Sent before this instance began to listen, or a replay: `missed` covers it.
      if (message && message.after < begin) return
      if (!message || message.number <= (last.get(message.from) ?? 0)) return drop()
      last.set(message.from, message.number)
      if (message.from !== instanceId) onEvents(message.events)
    }
    return {
      receive,
      startFrom(transaction: number) {
        begin = transaction
        early.forEach(receive)
        early = []
      },
    }
  }

  function drop() {
    metrics.foreignMessages.inc()
    log.warn({ err: foreignMessageError }, 'Dropped a message between instances')
  }

  function read(payload: string): InstanceMessage | undefined {
    try {
      return InstanceMessage.parse(JSON.parse(secrets.messages.open(payload)))
    } catch {
      return undefined
    }
  }

  async function newestEndedTransaction(connection: pg.Client): Promise<number> {
    const { rows } = await queryWithTimeout<{ ended: string }>(connection, transactions, timing)
    return Number(rows[0]!.ended)
  }

  function reconnect(connection: pg.Client, error: unknown) {
    if (connection !== client || closed) return
    client = undefined
    isListening = false
    discard(connection)
    // Log only the first failure: later ones have the same cause.
    if (!isInterrupted) log.warn({ err: error }, 'Live events of other instances are interrupted')
    isInterrupted = true
    clearTimeout(timer)
    timer = setTimeout(connect, pause)
    pause = Math.min(pause * 2, longestPause)
  }

  function exchange(connection: pg.Client): Promise<void> {
    roundTripInFlight ??= roundTrip(connection).finally(() => {
      roundTripInFlight = undefined
    })
    return roundTripInFlight
  }

  /** Sends the waiting events, or just a heartbeat if there are none. */
  async function roundTrip(connection: pg.Client) {
    clearTimeout(timer)
    const sent = pendingEvents
    pendingEvents = []
    if (sent.length > 0) sentAt = elapsed()
    watch.begin()
    try {
      const after = await newestEndedTransaction(connection)
      if (sent.length > 0) await queryWithTimeout(connection, notification(sent, after), timing)
      watch.progress()
      pause = timing.pause
    } catch (error) {
      if (error instanceof DatabaseUnavailable) pendingEvents = limitEvents([...sent, ...pendingEvents])
      return reconnect(connection, error)
    }
    scheduleExchange(connection)
  }

  /** Schedules the next round trip: as soon as the gap allows if events are waiting, or else for the heartbeat. */
  function scheduleExchange(connection: pg.Client) {
    // Here too, the connection may have broken together with its last response.
    if (closed || connection !== client) return
    clearTimeout(timer)
    const wait = pendingEvents.length > 0 ? Math.max(0, sentAt + minGap - elapsed()) : timing.beat
    timer = setTimeout(() => exchange(connection), wait)
  }

  function notification(events: readonly LiveEvent[], after: number): pg.QueryConfig {
    const full = batches(events, (event) =>
      log.warn({ type: event.type }, 'An event is too large to send to other instances'),
    )
    const payloads = full.map((batch) => {
      number += 1
      const message: InstanceMessage = { from: instanceId, after, number, events: batch }
      return secrets.messages.seal(JSON.stringify(message))
    })
    return { text: 'select pg_notify($1, payload) from unnest($2::text[]) payload', values: [channel, payloads] }
  }

  void connect()
  return {
    send(events: readonly LiveEvent[]) {
      pendingEvents = limitEvents([...pendingEvents, ...events])
      if (client && isListening && !roundTripInFlight) scheduleExchange(client)
    },
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      if (!client) return
      const last = client
      const late = setTimeout(() => discard(last), timing.close)
      await roundTripInFlight
      if (isListening && pendingEvents.length > 0) await exchange(last)
      await last.end()
      clearTimeout(late)
    },
  }
}

/** Always the same error, so that the log has only one line about it per minute. */
const foreignMessageError = new Error(
  'The message is forged or repeated, or comes from an instance with another version or APP_SECRET; see docs/scale.md',
)

/** Groups events into as few messages as their size allows, in order. Replaces an event that is too large by `missed`. */
export function batches(events: readonly LiveEvent[], tooLarge: (event: LiveEvent) => void): LiveEvent[][] {
  const full: LiveEvent[][] = [[]]
  const sizeOf = (batch: readonly LiveEvent[]) => Buffer.byteLength(JSON.stringify(batch))
  for (const original of events) {
    const isTooLarge = sizeOf([original]) > maxBytes
    if (isTooLarge) tooLarge(original)
    const event = isTooLarge ? eventsMissed : original
    if (sizeOf([...full.at(-1)!, event]) <= maxBytes) full.at(-1)!.push(event)
    else full.push([event])
  }
  return full.filter((batch) => batch.length > 0)
}
