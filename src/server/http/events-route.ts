import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Fault } from '../../shared/fault.ts'
import { minutes, seconds } from '../../shared/time.ts'
import { can } from '../../shared/user.ts'
import type { Caller } from './caller.ts'
import type { LiveEvent } from './events.ts'
import { callerOf, signedIn } from './guard.ts'
import type { LiveEvents } from './live-events.ts'
import type { App, Identify } from './server.ts'

type Stream = { user: Caller['user']; request: FastifyRequest; out: Readable }

const streamsPerUser = 10
/** Bytes a client may leave unread before it is let go. */
const maxUnread = 262_144
/** Milliseconds after which a browser connects again. */
const reconnect = seconds(3)

/** `GET /api/v1/events`: what happens, to whoever may see it, as server-sent events. */
export function eventsRoute(
  app: App,
  live: { events: LiveEvents; identify: Identify; heartbeat?: number; recheck?: number },
): void {
  const { events, identify, heartbeat = seconds(25), recheck = minutes(1) } = live
  const streams = new Set<Stream>()
  const write = (stream: Stream, text: string) => {
    if (stream.out.readableLength > maxUnread) stream.request.raw.destroy()
    else stream.out.push(text)
  }
  const stopHearing = events.hear((event) => {
    const text = `event: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`
    for (const stream of streams) if (concerns(event, stream.user)) write(stream, text)
  })
  const beat = setInterval(() => {
    for (const stream of streams) write(stream, ': still here\n\n')
  }, heartbeat)
  const check = setInterval(() => {
    for (const stream of streams) void stillSignedIn(stream, identify)
  }, recheck)
  app.addHook('preClose', (done) => {
    stopHearing()
    clearInterval(beat)
    clearInterval(check)
    for (const { out } of streams) out.push(null)
    done()
  })

  app.get(
    '/api/v1/events',
    { ...signedIn(), exposeHeadRoute: false, schema: { summary: 'Live events' } },
    (request, reply) => {
      const { user } = callerOf(request)
      const open = [...streams].filter((stream) => stream.user.id === user.id).length
      if (open >= streamsPerUser) throw new Fault(429, 'Too many screens are open at once.', { retryAfter: 60 })
      const stream = { user, request, out: new Readable({ read() {} }) }
      streams.add(stream)
      stream.out.once('close', () => streams.delete(stream))
      stream.out.push(`retry: ${reconnect}\n\n`)
      return reply
        .headers({ 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no', connection: 'close' })
        .type('text/event-stream')
        .send(stream.out)
    },
  )
}

/** A session that ended takes its stream with it; new roles count from here on. */
async function stillSignedIn(stream: Stream, identify: Identify) {
  const caller = await identify(stream.request).catch((error: unknown) => {
    stream.request.log.warn({ err: error }, 'a stream could not be checked')
    return stream
  })
  if (caller) stream.user = caller.user
  else stream.out.push(null)
}

const concerns = ({ to }: LiveEvent, user: Caller['user']): boolean =>
  to.everyone === true || to.userId === user.id || (to.role !== undefined && can(user, ...to.role))
