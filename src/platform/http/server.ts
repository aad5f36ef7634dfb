import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import cookie from '@fastify/cookie'
import proxyAddress from '@fastify/proxy-addr'
import { type FastifyBaseLogger, type FastifyRequest, fastify, LogController } from 'fastify'
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { HttpError } from '../../shared/http-error.ts'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { bodyOf } from '../body.ts'
import type { Config } from '../config/config.ts'
import { requireStorable } from '../db/storable.ts'
import { type Access, checkAccess, requireDeclaredAccess } from './access/guard.ts'
import { dropForwardedPorts, forwardedWarning, originForm, secureHeaders } from './access/headers.ts'
import { isSafe, refuseOtherSites, renameSharedCookie, routeOf, setXsrfCookies, xsrfCheck } from './access/origin.ts'
import type { App, Identify } from './app.ts'
import { fastPaths } from './connection/fast-path.ts'
import { closeGracefully, defaultDrainTimeout, unanswered } from './connection/unanswered.ts'
import { defaultBodyTimeout, discardUnread, limitBodies, mayHaveBody } from './connection/unread.ts'
import { answerError, answerSocket, reasonOf, sendError } from './errors.ts'

const refusals = new Set([401, 403, 429])
const longestPath = 200

/** Whether to trust a proxy at this address, this number of hops away, to name its client. */
type Trust = (address: string, hop: number) => boolean

/** Which proxies to trust in `X-Forwarded-For`: a hop count trusts that many nearest ones, whatever their address. */
function trustOf({ trustProxy }: Pick<Config, 'trustProxy'>): Trust | false {
  if (typeof trustProxy === 'number') return (_address, hop) => hop < trustProxy
  return trustProxy === false ? false : proxyAddress.compile(trustProxy.flatMap(acceptable))
}

/** The library refuses a range of all addresses, but accepts its two halves. */
function acceptable(range: string): string[] {
  if (!range.endsWith('/0')) return [range]
  return range.includes(':') ? ['::/1', '8000::/1'] : ['0.0.0.0/1', '128.0.0.0/1']
}

/** The client's address for a request that bypasses Fastify. */
function addressOf(request: IncomingMessage, trust: Trust | false): string {
  if (trust === false) return request.socket.remoteAddress ?? ''
  dropForwardedPorts(request)
  return proxyAddress(request, trust)
}

type Refused = (answer: { status: number; address: string; method: string; url: string }) => void

/** Logs each 401, 403 and 429 in one line for fail2ban; the filter in docs/security.md depends on its format. */
const refusalLog =
  (log: Logger): Refused =>
  ({ status, address, method, url }) => {
    if (!refusals.has(status)) return
    const path = url.split('?', 1)[0]?.slice(0, longestPath)
    log.warn({ status, address, method, path }, 'refused')
  }

/** Bytes: fits several whole records, and even a body full of errors is validated quickly. Routes may override it. */
const bodyLimit = 131_072

/** Compilers for zod schemas. Set up front, or Fastify would load its own first; its types allow no others here. */
export const schemaController = {
  compilersFactory: {
    buildValidator: () => validatorCompiler as never,
    buildSerializer: () => serializerCompiler as never,
  },
}

/** Creates an HTTP server without routes, but with error handling, origin checks, caller lookup and guards. */
export async function createServer({
  config,
  log,
  identify,
  readableUrl = (url) => url,
  lastAnswers = defaultDrainTimeout,
  bodyTime = defaultBodyTimeout,
}: {
  config: Config
  log: Logger
  identify: Identify
  /** Rewrites a URL that cannot be decoded, which would otherwise get a 400. */
  readableUrl?: (url: string) => string
  /** How long a stop waits for responses in progress. */
  lastAnswers?: Milliseconds
  bodyTime?: Milliseconds
}): Promise<App> {
  z.config({ ...z.locales.en(), customError: reasonOf })
  const loggerInstance: FastifyBaseLogger = log
  const trust = trustOf(config)
  const refused = refusalLog(log)
  const app = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIds(),
    trustProxy: trust,
    bodyLimit,
    // Requests without a body skip the stream's life cycle; `connectionsCheckingInterval` is for slow headers.
    http: { optimizeEmptyRequests: true, headersTimeout: seconds(30), connectionsCheckingInterval: seconds(5) },
    // Bodies have a separate deadline in `limitBodies`, since Node's includes the time for the headers.
    requestTimeout: 0,
    connectionTimeout: seconds(120),
    // Longer than common proxies keep connections open, so that none reuses one that is closing here.
    keepAliveTimeout: seconds(75),
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16_384 },
    rewriteUrl: (request) => readableUrl(originForm(request)),
    frameworkErrors: answerError,
    clientErrorHandler: answerSocket,
    schemaController,
  }).withTypeProvider<ZodTypeProvider>()
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(({ url }, reply) => {
    // Only a page from before an update asks for assets that don't exist.
    const isOutdated = url.startsWith('/assets/')
    return sendError(reply, 404, { error: isOutdated ? 'ToolBox was updated. Reload this page.' : 'Not found.' })
  })
  acceptJsonOnly(app)
  const answers = unanswered(app.server)
  app.decorate(
    'fastPaths',
    fastPaths(app.server, answers, {
      log,
      refused: (request, answer) => refused({ ...answer, address: addressOf(request, trust) }),
      addressOf: (request) => addressOf(request, trust),
    }),
  )
  limitBodies(app.server, bodyTime)
  discardUnread(app.server)
  const takeShared = renameSharedCookie(config)
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    takeShared(headers)
    done()
  })
  await app.register(cookie)
  app.decorate('identify', identify)
  app.decorateRequest('caller', undefined)
  app.addHook('onRoute', requireDeclaredAccess)
  const headers = secureHeaders(config)
  const warn = forwardedWarning(config, log)
  const checkXsrf = xsrfCheck(config)
  app.addHook('onRequest', (request, reply, done) => {
    warn(request)
    // The parser for this content type would wait for a body that never arrives.
    if (!mayHaveBody(request.raw)) delete request.headers['content-type']
    if (config.trustProxy !== false) dropForwardedPorts(request.raw)
    if (request.routeOptions.config.access === 'anonymous') reply.header('x-content-type-options', 'nosniff')
    else reply.headers(isApi(request) ? { ...headers, 'cache-control': 'no-store' } : headers)
    refuseOtherSites(request, config.origins)
    // Refuse it before its body is read into memory.
    if (request.is404 && !isSafe(request)) throw new HttpError(404, 'Not found.')
    done()
  })
  const authorize = async (request: FastifyRequest, access: Access) => {
    request.caller = await identify(request)
    checkXsrf(request)
    checkAccess(request, access)
  }
  app.addHook('onRequest', (request, _reply, done) => {
    const { access } = request.routeOptions.config
    if (!access || access === 'anonymous') return done()
    authorize(request, access).then(() => done(), done)
  })
  // While the body arrives, the caller may lose the session, key or role, so check again before the handler runs.
  app.addHook('preValidation', (request, _reply, done) => {
    const { access } = request.routeOptions.config
    if (!access || access === 'anonymous' || isSafe(request) || !mayHaveBody(request.raw)) return done()
    authorize(request, access).then(() => done(), done)
  })
  app.addHook('preHandler', ({ body }, _reply, done) => {
    if (body instanceof Object && !(body instanceof Uint8Array)) requireStorable(body)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url, log } = request
    refused({ status: reply.statusCode, address: request.ip, method, url })
    log.debug({ method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered')
    done()
  })
  setXsrfCookies(app, config)
  closeGracefully(app, answers, lastAnswers)
  return app
}

/** Also true for API URLs without a route. */
const isApi = (request: FastifyRequest) => [routeOf(request), request.url].some((path) => /^\/api(?:[/?]|$)/.test(path))

/** Creates ids that are unique across processes. A random id per request would take longer than many routes do. */
function requestIds(): () => string {
  const own = randomUUID().slice(0, 8)
  let last = 0
  return () => `${own}-${++last}`
}

/** Refuses plain text, and treats an empty body as none, even with a content type. */
function acceptJsonOnly(app: App) {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['text/plain', 'application/json'])
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: IncomingMessage, done) => {
    bodyOf(payload, request.routeOptions.bodyLimit ?? bodyLimit).then(
      (body) => (body.length === 0 ? done(null, undefined) : parse(request, body.toString(), done)),
      done,
    )
  })
}
