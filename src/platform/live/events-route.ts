import { HttpError } from '../../shared/http-error.ts'
import { minutes, seconds } from '../../shared/time.ts'
import { callerOf, signedIn } from '../http/access/guard.ts'
import type { App, Identify } from '../http/app.ts'
import { contentOf } from '../http/description/content.ts'
import type { LiveEvents } from './live-events.ts'
import { type DeliverOnce, liveStreams, rolesOf } from './live-streams.ts'

const streamsPerUser = 10
/** After this time a browser connects again. */
const reconnect = seconds(3)

/** `GET /api/v1/events`: live events for whoever may see them, as server-sent events. */
export function eventsRoute(
  app: App,
  live: { events: LiveEvents; identify: Identify; deliverOnce?: DeliverOnce; heartbeat?: number; recheck?: number },
): void {
  const { events, identify, deliverOnce, heartbeat = seconds(25), recheck = minutes(1) } = live
  const streams = liveStreams({ identify, deliverOnce })
  const unsubscribe = events.subscribe(streams.deliver)
  const beat = setInterval(streams.beat, heartbeat)
  const check = setInterval(streams.recheck, recheck)
  app.addHook('preClose', (done) => {
    unsubscribe()
    clearInterval(beat)
    clearInterval(check)
    streams.endAll()
    done()
  })

  app.get(
    '/api/v1/events',
    {
      ...signedIn(),
      exposeHeadRoute: false,
      schema: {
        tags: ['Server'],
        summary: 'Stream live events (server-sent events)',
        failures: { 429: 'Too many tabs are open. Close some of them.' },
        response: { 200: contentOf('text/event-stream', 'The stream.') },
      },
    },
    (request, reply) => {
      const caller = callerOf(request)
      if (streams.count(caller.user.id) >= streamsPerUser)
        throw new HttpError(429, 'Too many tabs are open. Close some of them.', { retryAfter: 60 })
      const stream = streams.open(caller, request)
      stream.push(`retry: ${reconnect}\n\n${rolesOf(caller)}`)
      return reply
        .headers({ 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no', connection: 'close' })
        .type('text/event-stream')
        .send(stream)
    },
  )
}
