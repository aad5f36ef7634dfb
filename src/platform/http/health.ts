import type { FastifyRequest } from 'fastify'
import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { can } from '../../shared/user.ts'
import type { Db } from '../db/open.ts'
import type { Health } from '../health.ts'
import type { Metrics } from '../metrics.ts'
import { open } from './access/guard.ts'
import { isForwarded } from './access/headers.ts'
import type { App } from './app.ts'
import { readiness } from './readiness.ts'

type Options = {
  db: Db
  isMigrated: (db: Db) => Promise<boolean>
  metrics: Metrics
  health: Pick<Health, 'standstill'>
  elapsed: () => Milliseconds
  patience?: Milliseconds
}

/** `/healthz`, `/readyz` and `/metrics`, for operators. */
export function health(app: App, { metrics, patience = seconds(2), ...options }: Options): void {
  const hidden = { schema: { hide: true } } as const
  const whyNotReady = readiness({ ...options, patience })
  let last: string | undefined
  app.get('/healthz', hidden, () => ({ status: 'alive' }))
  app.get('/readyz', hidden, async (request, reply) => {
    const why = await whyNotReady()
    if (why !== last) request.log.warn({ why }, why ? 'not ready' : 'ready again')
    last = why
    return why ? reply.code(503).send({ status: 'unavailable', why }) : { status: 'ready' }
  })
  app.get('/metrics', { ...open(), ...hidden }, async (request, reply) => {
    if (!mayMeasure(request))
      throw new HttpError(403, "Only available from a loopback address without a proxy, or with an admin's API key.")
    return reply.type(metrics.contentType).send(await metrics.text())
  })
  timeRequests(app, metrics)
}

/** Only the socket's own address counts here: no forwarded header makes a client local. */
const isLocal = (request: FastifyRequest) =>
  /^(?:::ffff:)?127\.|^::1$/.test(request.socket.remoteAddress ?? '') && !isForwarded(request)
const mayMeasure = (request: FastifyRequest) =>
  isLocal(request) || (request.caller?.via.kind === 'key' && can(request.caller.user, 'Admin', 1))

function timeRequests(app: App, { httpSeconds }: Metrics) {
  const observe = (method: string, route: string, status: number, ms: Milliseconds) =>
    httpSeconds.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, ms / 1_000)
  app.addHook('onResponse', ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
    observe(method, routeOptions.url ?? 'none', statusCode, elapsedTime)
    done()
  })
  app.fastPaths.onAnswer(observe)
}
