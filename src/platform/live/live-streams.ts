import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import { can } from '../../shared/user.ts'
import { callerOf, signedIn } from '../http/access/guard.ts'
import type { App, Caller, Identify } from '../http/app.ts'
import { contentOf } from '../http/description/content.ts'
import { type EventStream, eventStreams } from './event-streams.ts'
import { accessChanged, eventsMissed, inboxChanged, type LiveEvent } from './events.ts'
import type { LiveEvents } from './live-events.ts'

/** How far back a client can request events. */
const recently: Milliseconds = seconds(10)

const streamsPerUser = 10
const error = `Use milliseconds, up to ${recently}.`
const Within = z.pipe(
  z.string().check(z.regex(/^\d{1,5}$/, { error })),
  z.pipe(z.transform(Number), z.number().check(z.lte(recently, { error }))),
)

type Live = {
  elapsed: () => Milliseconds
  events: LiveEvents
  identify: Identify
  deliverOnce?: DeliverOnce
  heartbeat?: Milliseconds
  recheck?: Milliseconds
}

/** `GET /api/v1/events`: live events for the users who may see them, as server-sent events. */
export function eventsRoute(app: App, live: Live): void {
  const { heartbeat, recheck = minutes(1) } = live
  const start = eventStreams(app, { heartbeat })
  const streams = liveStreams(live)
  const unsubscribe = live.events.subscribe(streams.deliver)
  const check = setInterval(streams.recheck, recheck)
  app.addHook('preClose', (done) => {
    unsubscribe()
    clearInterval(check)
    done()
  })

  app.get(
    '/api/v1/events',
    {
      ...signedIn('read'),
      exposeHeadRoute: false,
      schema: {
        tags: ['Server'],
        summary: 'Stream live events (server-sent events)',
        description: [
          '`within` adds the events of that many milliseconds before, for a client that has just requested its data.',
          'The stream begins with the `roles` of the caller, and repeats them when they change.',
          'A `missed` event, at the start or later, means that some events may not have arrived.',
        ].join(' '),
        querystring: z.object({ within: z.optional(Within) }),
        failures: [429],
        response: { 200: contentOf('text/event-stream', 'The stream.') },
      },
    },
    (request, reply) => {
      const caller = callerOf(request)
      if (streams.count(caller.user.id) >= streamsPerUser)
        throw new HttpError(429, 'Too many tabs or event streams are open. Close some of them.', { retryAfter: 60 })
      streams.add(caller, request, start(request, reply), request.query.within)
      return reply
    },
  )
}

/** Keeps events with an id for users without an open screen, so that each user sees them exactly once. */
export type DeliverOnce = {
  /** Fetches the events that this user has missed; `write` returns whether the screen was still open. */
  missed(userId: string, write: (events: readonly LiveEvent[]) => boolean): void
  /** Called when the event has reached a screen of these users. */
  delivered(id: string, userIds: readonly string[]): void
}

type Stream = {
  caller: Caller
  request: FastifyRequest
  out: EventStream
  gate: ReturnType<typeof burstLimiter>
  received: Set<string>
  /** The last check of the caller; checks run one after the other, so that the last one counts. */
  checked: Promise<void>
}

/** The most bytes of recent events that are sent to a program; if there are more, it receives `missed`. */
const mostRecent = 131_072

const textOf = ({ type, data }: LiveEvent) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`

const sizeOf = (events: readonly LiveEvent[]): number =>
  events.reduce((size, event) => size + Buffer.byteLength(textOf(event)), 0)

/** The first event of a stream: a screen compares it with the roles of the session that it has just loaded. */
const rolesOf = ({ user }: Caller): string => `event: roles\ndata: ${JSON.stringify(user.roles)}\n\n`

function liveStreams({ elapsed, identify, deliverOnce }: Live) {
  const streams = new Set<Stream>()
  const recent = recentEvents(elapsed)
  const ofUser = (userId: string | undefined) => [...streams].filter(({ caller }) => caller.user.id === userId)

  /** Writes an event that arrives twice, live and as a missed one, only once. */
  function send(stream: Stream, { id }: LiveEvent, text: string): boolean {
    if (id === undefined) return stream.out.write(text)
    const isThere = stream.received.has(id) || stream.out.write(text)
    if (isThere) stream.received.add(id)
    return isThere
  }

  /** Writes an event or adds it to a combined one; returns false if the stream is closed. */
  function writeEvent(stream: Stream, event: LiveEvent, text: string): boolean {
    const row = rowOf(event)
    // A program may rely on receiving each run.
    if (row && isScreen(stream)) stream.gate.write(row, text)
    else return send(stream, event, text)
    return true
  }

  /** Sends the events of this time, or `missed` if they are not all known. */
  function writeRecent(stream: Stream, time: Milliseconds) {
    const events = recent.of(time)?.filter((event) => concerns(event, stream.caller.user))
    // A program receives each event separately, and has had no time to read them.
    const areTooMany = events && !isScreen(stream) && sizeOf(events) > mostRecent
    for (const event of events && !areTooMany ? events : [eventsMissed]) {
      if (event.type === 'access') {
        // The stream has just been authorized, but perhaps with the access from before this event.
        check(stream)
        continue
      }
      // An event to be seen once may already be on another screen: here it only means that the inbox has changed.
      const shownEvent = event.id !== undefined && isScreen(stream) ? inboxChanged(stream.caller.user.id) : event
      writeEvent(stream, shownEvent, textOf(shownEvent))
    }
  }

  /** Looks the caller up again and applies new roles, then writes the event that caused the check, if any. */
  function check(stream: Stream, text?: string) {
    stream.checked = stream.checked.then(async () => {
      if (!streams.has(stream)) return
      const caller = await identify(stream.request).catch((error: unknown) => {
        stream.request.log.warn({ err: error }, 'Failed to check the session of a live stream')
        return stream.caller
      })
      if (!caller) {
        stream.out.write(textOf(accessChanged(stream.caller.user.id)))
        streams.delete(stream)
        return stream.out.end()
      }
      const had = rolesOf(stream.caller)
      stream.caller = caller
      if (rolesOf(caller) !== had) stream.out.write(rolesOf(caller))
      if (text !== undefined) stream.out.write(text)
    })
  }

  return {
    count: (userId: string) => ofUser(userId).length,

    /** Sends the caller all events from now on, and those of the last `within` ms. */
    add(caller: Caller, request: FastifyRequest, out: EventStream, within?: Milliseconds) {
      const stream: Stream = {
        caller,
        request,
        out,
        gate: burstLimiter(out.write),
        received: new Set(),
        checked: Promise.resolve(),
      }
      streams.add(stream)
      out.onClose(() => {
        streams.delete(stream)
        stream.gate.close()
      })
      out.write(rolesOf(caller))
      if (within !== undefined) writeRecent(stream, within)
      if (isScreen(stream))
        deliverOnce?.missed(caller.user.id, (events) => events.every((event) => send(stream, event, textOf(event))))
    },

    deliver(event: LiveEvent) {
      const text = textOf(event)
      if (event.type === 'missed') recent.forget()
      else recent.add(event)
      // Either event may mean that a session has ended.
      if (event.type === 'access' || event.type === 'missed') {
        const checked = event.type === 'missed' ? streams : ofUser(event.to.userId)
        for (const stream of checked) check(stream, text)
        return
      }
      const concerned = [...streams].filter((stream) => concerns(event, stream.caller.user))
      const reached = concerned.filter((stream) => writeEvent(stream, event, text) && isScreen(stream))
      if (event.id === undefined || reached.length === 0) return
      deliverOnce?.delivered(event.id, [...new Set(reached.map(({ caller }) => caller.user.id))])
    },

    recheck() {
      for (const stream of streams) check(stream)
    },
  }
}

/** False for a program with an API key: no user has seen what it receives. */
const isScreen = ({ caller }: Stream) => caller.via.kind === 'session'

const concerns = ({ to }: LiveEvent, user: Caller['user']): boolean =>
  to.everyone === true || to.userId === user.id || (to.role !== undefined && can(user, ...to.role))

const window: Milliseconds = seconds(1)
/** Row events that a stream receives one by one within the window; the rest become one event at its end. */
const eventsPerWindow = 5

/** The row in the data of `run` and `entry` events. */
const Row = z.object({ tool: z.string(), id: z.string(), act: z.optional(z.string()) })
export type Row = z.infer<typeof Row>

export function rowOf({ type, data }: LiveEvent): Row | undefined {
  return type === 'run' || type === 'entry' ? Row.safeParse(data).data : undefined
}

/** Protects a stream from bursts: combines changes beyond a few per second into one event that names their tools. */
export function burstLimiter(write: (text: string) => void) {
  /** Combined changes by tool; `edited` if any of its rows did more than run. */
  const gathered = new Map<string, { edited: boolean }>()
  let passed = 0
  let timer: NodeJS.Timeout | undefined

  function endWindow() {
    timer = undefined
    // After a window with too many changes, combine all changes of the next one.
    passed = gathered.size > 0 ? eventsPerWindow : 0
    if (gathered.size === 0) return
    write(`event: changes\ndata: ${JSON.stringify(Object.fromEntries(gathered))}\n\n`)
    gathered.clear()
    timer = setTimeout(endWindow, window)
  }

  return {
    write(row: Row, text: string) {
      timer ??= setTimeout(endWindow, window)
      passed += 1
      if (passed <= eventsPerWindow) return write(text)
      gathered.set(row.tool, { edited: row.act !== undefined || gathered.get(row.tool)?.edited === true })
    },
    close: () => clearTimeout(timer),
  }
}

/** Keeps the latest events, for screens that requested their data just before they connected. */
export function recentEvents(elapsed: () => Milliseconds, most = 2_000) {
  const buffer: { event: LiveEvent; at: Milliseconds }[] = []
  /** All events after this time are kept. */
  let begin = elapsed()

  function dropOld() {
    while (buffer[0] && (buffer.length > most || buffer[0].at < elapsed() - recently)) begin = buffer.shift()!.at
  }

  return {
    add(event: LiveEvent) {
      buffer.push({ event, at: elapsed() })
      dropOld()
    },
    /** Drops all events, since some of them may be missing. */
    forget() {
      buffer.length = 0
      begin = elapsed()
    },
    /** The events of this time, in order; undefined if it begins before the oldest one that is kept. */
    of(time: Milliseconds): LiveEvent[] | undefined {
      const since = elapsed() - time
      return since > begin ? buffer.flatMap(({ event, at }) => (at >= since ? [event] : [])) : undefined
    },
  }
}
