import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { Milliseconds } from '../../../shared/time.ts'
import { bodyOf, growingBuffer } from '../../body.ts'
import { anonymous } from '../access/guard.ts'
import type { App } from '../app.ts'
import { errorAnswer } from '../errors.ts'
import type { Unanswered } from './unanswered.ts'

declare module 'fastify' {
  interface FastifyInstance {
    fastPaths: ReturnType<typeof fastPaths>
  }
}

export type FastCall = {
  method: string
  url: string
  headers: IncomingHttpHeaders
  address: () => string
  /** The path after the prefix, decoded. */
  part: string
  /** Raw; empty unless the route has a bodyLimit. */
  body: Buffer
}
export type FastAnswer = { status: number; headers?: Record<string, string>; body?: string }
type FastPath = {
  method: 'GET' | 'POST'
  /** The path up to its parameter: `/hooks/heroku/`. */
  prefix: string
  /** The parameter's name in schema.params: `token`. */
  part: string
  /** Maximum bytes of the body, which is passed raw, whatever its content type. */
  bodyLimit?: number
  /** Throws for an unknown part, before a large body is needlessly read into memory. */
  checkPart?: (part: string) => Promise<unknown>
  /** Only for the API's description; `answer` validates the call. */
  schema: FastifySchema
  /** Answers a call. Errors are handled as on all other routes. */
  answer(call: FastCall): Promise<FastAnswer>
}

const noBody = Buffer.alloc(0)

/**
 * Mounts `{prefix}{part}`, a public route called thousands of times a second. A part of letters, digits, - and _ is
 * answered before Fastify, which would double its time: no hook runs, and only nosniff is added to the headers. Other
 * calls (HEAD, encoded URL, chunked or too large body, `inject`, closing server) reach `answer` through Fastify.
 */
export function fastPath(app: App, route: FastPath): void {
  const { method, prefix, part, bodyLimit, checkPart, schema, answer } = route
  app.fastPaths.add(route)
  void app.register(async (own: App) => {
    if (bodyLimit !== undefined) acceptRawBodies(own, bodyLimit)
    if (bodyLimit !== undefined && checkPart)
      own.addHook('onRequest', async ({ headers, params }) => {
        // A body that is too large gets a 413 instead.
        if (Number(headers['content-length'] ?? 0) <= bodyLimit)
          await checkPart((params as Record<string, string>)[part] ?? '')
      })
    own.route({
      method,
      url: `${prefix}:${part}`,
      ...anonymous(),
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      schema,
      validatorCompiler: () => () => true,
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const { method, url, headers, params, body } = request
        const call = {
          method,
          url,
          headers,
          address: () => request.ip,
          part: (params as Record<string, string>)[part] ?? '',
        }
        const answered = await answer({ ...call, body: Buffer.isBuffer(body) ? body : noBody })
        return reply
          .code(answered.status)
          .headers(answered.headers ?? {})
          .send(answered.body)
      },
    })
  })
}

/** Accepts bodies as raw bytes, even if their content type is malformed. */
function acceptRawBodies(app: App, most: number) {
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    if (headers['content-type'] !== undefined) headers['content-type'] = 'application/octet-stream'
    done()
  })
  app.addContentTypeParser('*', (_request: FastifyRequest, body: IncomingMessage) => bodyOf(body, most))
}

type OnRefused = (request: IncomingMessage, answer: { status: number; method: string; url: string }) => void
type OnAnswered = (method: string, route: string, status: number, took: Milliseconds) => void
type Mounted = FastPath & { url: string }

/** Answers fast paths before Fastify, which must already listen to this server. */
export function fastPaths(
  server: Server,
  { tryAcquire }: Unanswered,
  {
    log,
    refused,
    addressOf,
  }: { log: FastifyBaseLogger; refused: OnRefused; addressOf: (request: IncomingMessage) => string },
) {
  const routes: Mounted[] = []
  let answered: OnAnswered = () => {}

  function tryFastPath(request: IncomingMessage, response: ServerResponse): boolean {
    const { method = '', url = '' } = request
    const route = routes.find((one) => one.method === method && url.startsWith(one.prefix))
    if (!route) return false
    const part = plainPart(url, route.prefix.length)
    if (!part || !hasAllowedLength(request, route)) return false
    void respond(request, response, route, part)
    return true
  }

  async function respond(request: IncomingMessage, response: ServerResponse, route: Mounted, part: string) {
    const began = performance.now()
    const { method = '', url = '', headers } = request
    let answer: FastAnswer
    try {
      const body = route.bodyLimit === undefined ? noBody : await read(request, () => route.checkPart?.(part))
      answer = await route.answer({ method, url, headers, address: () => addressOf(request), part, body })
    } catch (error) {
      answer = errorAnswer(error, { log, method, url })
    }
    write(response, answer)
    if (answer.status >= 400) refused(request, { status: answer.status, method, url })
    answered(method, route.url, answer.status, performance.now() - began)
  }

  const [fastifyListener] = server.listeners('request') as [RequestListener]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (!tryAcquire(request, response)) return
    if (hasTwoHosts(request)) return write(response, twoHosts)
    // While the server closes, Fastify answers all requests, since it also closes the connections.
    if (!server.listening || !tryFastPath(request, response)) fastifyListener(request, response)
  })
  return {
    add: (route: FastPath) => void routes.push({ ...route, url: `${route.prefix}:${route.part}` }),
    /** Sets the listener for each response, since hooks don't run for it. */
    onAnswer(listener: OnAnswered) {
      answered = listener
    },
  }
}

/** A proxy in front of us may have used the other Host header. */
const twoHosts: FastAnswer = {
  status: 400,
  headers: { 'content-type': 'application/json; charset=utf-8', connection: 'close' },
  body: JSON.stringify({ error: 'The request has more than one Host header.' }),
}

function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** The parameter after the prefix, if it needs no decoding and only a query follows. */
function plainPart(url: string, from: number): string | undefined {
  const query = url.indexOf('?', from)
  const part = query < 0 ? url.slice(from) : url.slice(from, query)
  return /^[\w-]+$/.test(part) ? part : undefined
}

const hasAllowedLength = ({ headers }: IncomingMessage, { bodyLimit }: FastPath): boolean =>
  bodyLimit === undefined || Number(headers['content-length']) <= bodyLimit

/** Bytes to read before checking the part: most bodies are shorter, and `answer` checks it anyway. */
const readUnchecked = 16_384

/** Reads the body. Never resolves if the client disconnects before its end. Rejects as soon as `check` does. */
const read = (request: IncomingMessage, check: () => Promise<unknown> | undefined): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const body = growingBuffer(Number(request.headers['content-length']))
    let isChecked = false
    const onData = (chunk: Buffer) => {
      body.add(chunk)
      if (isChecked || body.length <= readUnchecked) return
      isChecked = true
      request.pause()
      Promise.resolve(check()).then(
        () => request.resume(),
        (error: unknown) => {
          request.off('data', onData)
          reject(error)
        },
      )
    }
    request.on('error', () => {})
    request.on('data', onData)
    request.on('end', () => resolve(body.whole()))
  })

function write(response: ServerResponse, { status, headers, body }: FastAnswer) {
  // Node processes a list of names and values faster than an object.
  const all = ['x-content-type-options', 'nosniff']
  for (const name in headers) all.push(name, headers[name]!)
  if (body === undefined) return void response.writeHead(status, all).end()
  const length = Buffer.byteLength(body)
  all.push('content-length', String(length))
  // ASCII is the same in both encodings, and faster to write as latin1.
  response.writeHead(status, all).end(body, length === body.length ? 'latin1' : 'utf8')
}
