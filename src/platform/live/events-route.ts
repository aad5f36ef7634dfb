import * as z from 'zod/mini'
import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, minutes } from '../../shared/time.ts'
import { callerOf, signedIn } from '../http/access/guard.ts'
import type { App, Identify } from '../http/app.ts'
import { contentOf } from '../http/description/content.ts'
import { eventStreams } from './event-streams.ts'
import type { LiveEvents } from './live-events.ts'
import { type DeliverOnce, liveStreams, recently } from './live-streams.ts'

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
