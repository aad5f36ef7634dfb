import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { anonymous } from '../access/guard.ts'
import type { App } from '../app.ts'

export type FastCall = {
  method: string
  url: string
  headers: IncomingHttpHeaders
  /** What the address says behind the prefix, decoded. */
  part: string
  /** As it came; empty unless the route has a bodyLimit. */
  body: Buffer
}
export type FastAnswer = { status: number; headers?: Record<string, string>; body?: string }
export type FastPath = {
  method: 'GET' | 'POST'
  /** The address up to its one part: `/hooks/heroku/`. */
  prefix: string
  /** The part's name in schema.params: `token`. */
  part: string
  /** Bytes of a body, which is taken as it is, whatever it calls itself. */
  bodyLimit?: number
  /** Says what the API's description says; what is wrong with a call, `answer` finds. */
  schema: FastifySchema
  /** Answers a call. What it throws is answered as everywhere. */
  answer(call: FastCall): Promise<FastAnswer>
}

export const noBody = Buffer.alloc(0)

/**
 * Mounts a route that is asked thousands of times a second, `{prefix}{part}`, open to everybody. Where the part is of
 * letters, digits, - and _, it is answered before Fastify looks, which takes as long as Node itself: no hook sees it, and
 * its headers are those of the answer and nosniff. Whatever else leads there (HEAD, an encoded address, a chunked or too
 * large body, `inject`, a server that closes) goes through Fastify to the same `answer`.
 */
export function fastPath(app: App, route: FastPath): void {
  const { method, prefix, part, bodyLimit, schema, answer } = route
  app.fastPaths.add(route)
  void app.register(async (own: App) => {
    if (bodyLimit !== undefined) takeBytes(own)
    own.route({
      method,
      url: `${prefix}:${part}`,
      ...anonymous(),
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      schema,
      validatorCompiler: () => () => true,
      handler: async ({ method, url, headers, params, body }: FastifyRequest, reply: FastifyReply) => {
        const call = { method, url, headers, part: (params as Record<string, string>)[part] ?? '' }
        const answered = await answer({ ...call, body: Buffer.isBuffer(body) ? body : noBody })
        return reply
          .code(answered.status)
          .headers(answered.headers ?? {})
          .send(answered.body)
      },
    })
  })
}

/** Bodies stay bytes, also those that call themselves what is no media type. */
function takeBytes(app: App) {
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    if (headers['content-type'] !== undefined) headers['content-type'] = 'application/octet-stream'
    done()
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}
