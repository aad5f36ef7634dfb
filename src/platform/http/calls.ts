import type { FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify'
import type * as z from 'zod/mini'
import type { Call } from '../../shared/calls.ts'
import type { App } from './app.ts'

type Parsed<Schema> = Schema extends z.ZodMiniType ? z.output<Schema> : unknown
type Part<One extends Call, Name extends keyof Call> = One extends Record<Name, infer Schema> ? Parsed<Schema> : unknown

type Asked<One extends Call> = FastifyRequest<{
  Params: Part<One, 'params'>
  Querystring: Part<One, 'query'>
  Body: Part<One, 'body'>
}>
type Answer<One extends Call> = Part<One, 'answer'> | FastifyReply
type Handler<One extends Call> = (request: Asked<One>, reply: FastifyReply) => Answer<One> | Promise<Answer<One>>

/** A route's guard, its description, and any other Fastify options. */
type Options = Omit<RouteOptions, 'method' | 'url' | 'schema' | 'handler'> & {
  summary: string
  description?: string
  failures?: readonly number[]
  /** Additional responses, by status. */
  answers?: Readonly<Record<number, unknown>>
}

/** Mounts a contract's calls with their schemas: `route('GET /api/v1/things', { ...guard(…), summary }, handler)`. */
export const routesOf =
  <Table extends Readonly<Record<string, Call>>>(app: App, calls: Table, tag: string, tool = '') =>
  <Key extends keyof Table & string>(key: Key, options: Options, handler: Handler<Table[Key]>): void => {
    const [method = '', url = ''] = key
      .replace(/\/?(?:\?.*)?$/, '')
      .replace(':tool', tool)
      .split(' ')
    const { params, query, body, answer, status = 200 } = calls[key] as Call
    const { summary, description, failures, answers, ...route } = options
    const schema: FastifySchema = {
      tags: [tag],
      summary,
      ...(description !== undefined && { description }),
      ...(failures && { failures }),
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      response: { [status]: answer, ...answers },
    }
    app.route({
      ...route,
      method,
      url,
      schema,
      handler: (request, reply) => handler(request as Asked<Table[Key]>, reply.code(status)),
    })
  }
