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

/** How far back one can ask. */
const recently: Milliseconds = seconds(10)

const streamsPerUser = 10
const error = `Use milliseconds, up to ${recently}.`
const Within = z.pipe(
  z.string().check(z.regex(/^\d{1,5}$/, { error })),
  z.pipe(z.transform(Number), z.number().check(z.lte(recently, { error }))),
)

/** `GET /api/v1/events`: live events for the users who may see them, as server-sent events. */
export function eventsRoute(
  app: App,
  live: {
    elapsed: () => Milliseconds
    events: LiveEvents
    identify: Identify
    deliverOnce?: DeliverOnce
    heartbeat?: Milliseconds
    recheck?: Milliseconds
  },
): void {
  const { events, elapsed, identify, deliverOnce, heartbeat, recheck = minutes(1) } = live
  const start = eventStreams(app, { heartbeat })
  const streams = liveStreams({ elapsed, identify, deliverOnce })
  const unsubscribe = events.subscribe(streams.deliver)
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
          'With `within`, also those of that many milliseconds before: a client that asked for data just before misses nothing.',
          'It begins with the `roles` of the caller, which may have changed by `access` meanwhile.',
          'If not all of them are known, the stream begins with `missed`, which also comes later if some may not have arrived.',
        ].join(' '),
        querystring: z.object({ within: z.optional(Within) }),
        failures: [429],
        response: { 200: contentOf('text/event-stream', 'The stream.') },
      },
    },
    (request, reply) => {
      const caller = callerOf(request)
      if (streams.count(caller.user.id) >= streamsPerUser)
        throw new HttpError(429, 'Too many tabs are open. Close some of them.', { retryAfter: 60 })
      streams.add(caller, request, start(request, reply), request.query.within)
      return reply
    },
  )
}

/** Keeps events with an id for users who are away, so that each user sees them once. */
export type DeliverOnce = {
  /** Fetches what this user has missed; `write` returns whether there was still a screen to write to. */
  missed(userId: string, write: (events: readonly LiveEvent[]) => boolean): void
  /** These users have the event on a screen. */
  delivered(id: string, userIds: readonly string[]): void
}

type Stream = {
  caller: Caller
  request: FastifyRequest
  out: EventStream
  gate: ReturnType<typeof floodGate>
  received: Set<string>
  /** The last look-up of the caller; they run one after the other, so that the last one counts. */
  checked: Promise<void>
}

/** More bytes than this of recent events aren't repeated. */
const mostRecent = 131_072

const textOf = ({ type, data }: LiveEvent) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`

const sizeOf = (events: readonly LiveEvent[]): number =>
  events.reduce((size, event) => size + Buffer.byteLength(textOf(event)), 0)

/** The first event of a stream: a screen that has just loaded its session compares the roles. */
const rolesOf = ({ user }: Caller): string => `event: roles\ndata: ${JSON.stringify(user.roles)}\n\n`

function liveStreams({
  elapsed,
  identify,
  deliverOnce,
}: {
  elapsed: () => Milliseconds
  identify: Identify
  deliverOnce: DeliverOnce | undefined
}) {
  const streams = new Set<Stream>()
  const recent = recentEvents(elapsed)
  const ofUser = (userId: string | undefined) => [...streams].filter(({ caller }) => caller.user.id === userId)

  /** An event that arrives twice, live and as a missed one, is written once. */
  function send(stream: Stream, { id }: LiveEvent, text: string): boolean {
    if (id === undefined) return stream.out.write(text)
    const isThere = stream.received.has(id) || stream.out.write(text)
    if (isThere) stream.received.add(id)
    return isThere
  }

  /** Returns whether it is on the stream. */
  function tell(stream: Stream, event: LiveEvent, text: string): boolean {
    const row = rowOf(event)
    // A program may count on hearing of each run.
    if (row && isScreen(stream)) stream.gate.write(row, text)
    else return send(stream, event, text)
    return true
  }

  /** Tells what happened in this time, or that not all of it is known. */
  function tellRecent(stream: Stream, time: Milliseconds) {
    const events = recent.of(time)?.filter((event) => concerns(event, stream.caller.user))
    // A program gets each by itself, and has had no time to read them.
    const areTooMany = events && !isScreen(stream) && sizeOf(events) > mostRecent
    for (const event of events && !areTooMany ? events : [eventsMissed]) {
      if (event.type === 'access') {
        // It has just been let in, but perhaps as what it was before.
        check(stream)
        continue
      }
      // What is seen once may be on another screen already: to this one it only means that the inbox has changed.
      const told = event.id !== undefined && isScreen(stream) ? inboxChanged(stream.caller.user.id) : event
      tell(stream, told, textOf(told))
    }
  }

  /** Looks the caller up again and applies new roles; then writes what may have had to do with that. */
  function check(stream: Stream, text?: string) {
    stream.checked = stream.checked.then(async () => {
      if (!streams.has(stream)) return
      const caller = await identify(stream.request).catch((error: unknown) => {
        stream.request.log.warn({ err: error }, 'a stream could not be checked')
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

    /** Tells the caller what happens from now on, and what happened `within` this time. */
    add(caller: Caller, request: FastifyRequest, out: EventStream, within?: Milliseconds) {
      const stream: Stream = {
        caller,
        request,
        out,
        gate: floodGate(out.write),
        received: new Set(),
        checked: Promise.resolve(),
      }
      streams.add(stream)
      out.onClose(() => {
        streams.delete(stream)
        stream.gate.close()
      })
      out.write(rolesOf(caller))
      if (within !== undefined) tellRecent(stream, within)
      if (isScreen(stream))
        deliverOnce?.missed(caller.user.id, (events) => events.every((event) => send(stream, event, textOf(event))))
    },

    deliver(event: LiveEvent) {
      const text = textOf(event)
      if (event.type === 'missed') recent.forget()
      else recent.add(event)
      // Either may be the end of a session.
      if (event.type === 'access' || event.type === 'missed') {
        const checked = event.type === 'missed' ? streams : ofUser(event.to.userId)
        for (const stream of checked) check(stream, text)
        return
      }
      const concerned = [...streams].filter((stream) => concerns(event, stream.caller.user))
      const reached = concerned.filter((stream) => tell(stream, event, text) && isScreen(stream))
      if (event.id === undefined || reached.length === 0) return
      deliverOnce?.delivered(event.id, [...new Set(reached.map(({ caller }) => caller.user.id))])
    },

    recheck() {
      for (const stream of streams) check(stream)
    },
  }
}

/** What a program receives with an API key counts as seen by nobody. */
const isScreen = ({ caller }: Stream) => caller.via.kind === 'session'

const concerns = ({ to }: LiveEvent, user: Caller['user']): boolean =>
  to.everyone === true || to.userId === user.id || (to.role !== undefined && can(user, ...to.role))

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

/** The latest events, for screens that asked for their data just before they listen. */
export function recentEvents(elapsed: () => Milliseconds, most = 2_000) {
  const kept: { event: LiveEvent; at: Milliseconds }[] = []
  /** All that came later is kept. */
  let begin = elapsed()

  function dropOld() {
    while (kept[0] && (kept.length > most || kept[0].at < elapsed() - recently)) begin = kept.shift()!.at
  }

  return {
    add(event: LiveEvent) {
      kept.push({ event, at: elapsed() })
      dropOld()
    },
    /** What came until now isn't all there was. */
    forget() {
      kept.length = 0
      begin = elapsed()
    },
    /** Those of this time, in order; undefined if that isn't known: they were too many, or it is longer than there were any. */
    of(time: Milliseconds): LiveEvent[] | undefined {
      const since = elapsed() - time
      return since > begin ? kept.flatMap(({ event, at }) => (at >= since ? [event] : [])) : undefined
    },
  }
}
