import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { bodyOf } from '../../body.ts'
import { anonymous } from '../access/guard.ts'
import type { App } from '../app.ts'

export type FastCall = {
  method: string
  url: string
  headers: IncomingHttpHeaders
  /** The client's network address. */
  address: () => string
  /** The address behind the prefix, decoded. */
  part: string
  /** Raw; empty unless the route has a bodyLimit. */
  body: Buffer
}
export type FastAnswer = { status: number; headers?: Record<string, string>; body?: string }
export type FastPath = {
  method: 'GET' | 'POST'
  /** The address up to its parameter: `/hooks/heroku/`. */
  prefix: string
  /** The parameter's name in schema.params: `token`. */
  part: string
  /** Bytes of a body, which is taken raw, whatever its content type. */
  bodyLimit?: number
  /** Refuses a part that names nothing, by an error: before a large body is read, which would be kept in memory for nobody. */
  checkPart?: (part: string) => Promise<unknown>
  /** Only for the API's description; `answer` validates the call. */
  schema: FastifySchema
  /** Answers a call. Errors are answered as everywhere else. */
  answer(call: FastCall): Promise<FastAnswer>
}

export const noBody = Buffer.alloc(0)

/**
 * Mounts a route that is called thousands of times a second, `{prefix}{part}`, open to everybody. If the part consists
 * of letters, digits, - and _, the call is answered before Fastify, which would double its time: no hook sees it, and its
 * headers are those of the answer and nosniff. All other calls (HEAD, an encoded address, a chunked or too large body,
 * `inject`, while the server closes) go through Fastify to the same `answer`.
 */
export function fastPath(app: App, route: FastPath): void {
  const { method, prefix, part, bodyLimit, checkPart, schema, answer } = route
  app.fastPaths.add(route)
  void app.register(async (own: App) => {
    if (bodyLimit !== undefined) takeBytes(own, bodyLimit)
    if (bodyLimit !== undefined && checkPart)
      own.addHook('onRequest', async ({ headers, params }) => {
        // What is too large is refused as such.
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

/** Takes bodies as raw bytes, even if their content type is no media type. */
function takeBytes(app: App, most: number) {
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    if (headers['content-type'] !== undefined) headers['content-type'] = 'application/octet-stream'
    done()
  })
  app.addContentTypeParser('*', (_request: FastifyRequest, body: IncomingMessage) => bodyOf(body, most))
}
