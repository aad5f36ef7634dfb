import { STATUS_CODES } from 'node:http'
import swagger from '@fastify/swagger'
import { type FastifySchema, fastify, type RouteOptions } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Config } from '../../config/config.ts'
import type { Access, KeyUse } from '../access/guard.ts'
import { sessionCookieName } from '../access/origin.ts'
import type { ErrorBody } from '../errors.ts'
import { schemaController } from '../server.ts'

type Response = OpenAPIV3_1.ResponseObject
type ErrorDescription = { name: string; description: string; example: ErrorBody }

/** How each status is described unless a call describes it itself. */
const errorDescriptions: Readonly<Record<number, ErrorDescription>> = {
  400: {
    name: 'BadRequest',
    description: 'The request is malformed, or a value is not valid.',
    example: { error: 'The field name is missing.', fields: { name: 'This is missing.' } },
  },
  401: { name: 'Unauthorized', description: 'The caller is not signed in.', example: { error: 'Sign in first.' } },
  403: {
    name: 'Forbidden',
    description: 'The caller may not do this.',
    example: { error: "Confirm that it's you to continue.", reauthenticate: true },
  },
  404: { name: 'NotFound', description: 'The resource does not exist.', example: { error: 'Not found.' } },
  409: {
    name: 'Conflict',
    description: 'The request conflicts with existing data.',
    example: { error: 'This email is already in use.', fields: { email: 'This email is already in use.' } },
  },
  413: { name: 'ContentTooLarge', description: 'The body is too large.', example: { error: 'The body is too large.' } },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The call does not accept a body of this type.',
    example: { error: 'Send the body as application/json.' },
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests. `Retry-After` states when to try again.',
    example: { error: 'Too many checks. Try again in a minute.' },
  },
  500: {
    name: 'InternalServerError',
    description: "An unexpected error, which the server's log explains.",
    example: { error: 'Something went wrong.' },
  },
  503: {
    name: 'ServiceUnavailable',
    description: 'The database or its disk is unavailable.',
    example: { error: "The database isn't answering. Try again in a moment." },
  },
}

const schema = { $ref: '#/components/schemas/Error' }
const retryAfter = {
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
} as const

const answerOf = (status: number, description: string, content: OpenAPIV3_1.MediaTypeObject): Response => ({
  description,
  ...(status === 429 ? { headers: retryAfter } : {}),
  content: { 'application/json': { schema, ...content } },
})

const errorResponses: Readonly<Record<string, Response>> = Object.fromEntries([
  ...Object.entries(errorDescriptions).map(([status, { name, description, example }]) => [
    name,
    answerOf(Number(status), description, { example }),
  ]),
  ['Error', answerOf(0, 'An error.', { example: { error: 'The request took too long to arrive.' } })],
])

function errorAnswers(statuses: readonly number[]): OpenAPIV3_1.ResponsesObject {
  const answers = statuses.map((status) => [
    status,
    { $ref: `#/components/responses/${errorDescriptions[status]!.name}` },
  ])
  return { ...Object.fromEntries(answers), default: { $ref: '#/components/responses/Error' } }
}

type Api = OpenAPIV3_1.Document

/** Describes these routes as OpenAPI 3.1. Mounts them on a second server, since the plugin only sees new routes. */
export async function describe(routes: readonly RouteOptions[], { baseUrl }: Config): Promise<Api> {
  const app = fastify({ schemaController, exposeHeadRoutes: false })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'ToolBox',
        version: '1',
        description: 'Times are Unix milliseconds; durations are milliseconds.',
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: sessionCookieName(baseUrl),
            description: 'Unsafe calls also send the XSRF-TOKEN cookie as X-XSRF-TOKEN.',
          },
          apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'tbx_…' },
        },
      },
    },
    transform: (document) => {
      const { schema, url } = jsonSchemaTransform(document)
      const { method, config } = document.route
      const { access, keyUse } = config ?? {}
      const described = {
        tags: [tagOf(url)],
        operationId: operationIdOf(String(method), url),
        ...schema,
        [ownFailures]: failuresOf({ method, config, schema: document.schema }),
        security: securityFor(access, keyUse),
        description: [describeAccess(access, schema?.description), forKeys[keyUse ?? 'read']].join(''),
      }
      return { schema: described, url }
    },
    transformObject: (document) => withErrors(jsonSchemaTransformObject(document) as Api),
  })
  for (const route of routes) app.route(route)
  await app.ready()
  return app.swagger() as Api
}

const tagOf = (url: string) => url.split('/').find((part) => !['', 'api', 'v1'].includes(part)) ?? 'api'

function securityFor(access: Access | undefined, keyUse: KeyUse | undefined) {
  if (isForAll(access)) return []
  return keyUse === 'never' ? [{ session: [] }] : [{ session: [] }, { apiKey: [] }]
}

const forKeys: Record<KeyUse, string> = {
  read: '',
  write: '',
  masked: " An API key that can't write sees secrets masked.",
  partly: " An API key can't change how a user signs in.",
  never: ' Not available with an API key.',
}

const isForAll = (access: Access | undefined) => access === undefined || access === 'open' || access === 'anonymous'

function describeAccess(access: Access | undefined, description: string | undefined): string {
  const who =
    typeof access === 'object'
      ? `Requires ${access[0]} ≥ ${access[1]}.`
      : isForAll(access)
        ? 'Public.'
        : 'Requires sign-in.'
  return description ? `${description} ${who}` : who
}

const errorBody: OpenAPIV3_1.SchemaObject = {
  type: 'object',
  required: ['error'],
  properties: {
    error: { type: 'string', description: 'An error message for users.' },
    fields: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The reasons, by field name.',
    },
    reauthenticate: {
      type: 'boolean',
      enum: [true],
      description: 'Set if the call will work after the user confirms their identity.',
    },
  },
}

/** The operation's name in generated clients: `GET /api/v1/things/list` becomes `getThingsList`. */
function operationIdOf(method: string, url: string): string {
  const parts = url.replace(/^\/api(?:\/v1)?/, '').split(/[^A-Za-z0-9:]+/)
  const words = parts.map((part) => part.replace(/^:(.)/, (_all, first) => `by${first.toUpperCase()}`))
  return [method.toLowerCase(), ...words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))].join('')
}

/** A temporary field for the statuses of an operation's errors, until all operations are described. */
const ownFailures = 'x-failures'
type Operation = OpenAPIV3_1.OperationObject & { [ownFailures]?: number[] }

function withErrors(api: Api): Api {
  for (const path of Object.values(api.paths ?? {}))
    for (const operation of Object.values(path ?? {}))
      if (typeof operation === 'object' && 'responses' in operation) describeAnswers(operation)
  const { schemas, responses, ...others } = api.components ?? {}
  const components = {
    ...others,
    schemas: { ...schemas, Error: errorBody },
    responses: { ...responses, ...errorResponses },
  }
  return { ...api, components }
}

/** Adds its errors to an operation; errors with their own schema get an example. */
function describeAnswers(operation: Operation) {
  const { [ownFailures]: failures = [], responses = {} } = operation
  delete operation[ownFailures]
  for (const [status, response] of Object.entries(responses)) {
    if ('$ref' in response) continue
    if (response.description === 'Default Response') response.description = STATUS_CODES[status] ?? 'Answer'
    const json = response.content?.['application/json']
    if (json && errorDescriptions[Number(status)])
      json.example = { error: errorDescriptions[Number(status)]!.example.error }
    if (json && status === '429') response.headers = retryAfter
  }
  operation.responses = { ...errorAnswers(failures), ...responses }
}

declare module 'fastify' {
  interface FastifySchema {
    /** The statuses of errors that don't follow from a call's access and input. */
    failures?: readonly number[]
  }
}

/** What the errors follow from: a route, or the route options of a request. */
type Described = {
  method: string | string[]
  config?: RouteOptions['config'] | undefined
  schema?: FastifySchema | undefined
}

/** The statuses of the errors that a route may respond with. */
export function failuresOf({ method, config = {}, schema = {} }: Described): number[] {
  const { access, keyUse, recentProof } = config
  const needsSession = typeof access === 'object' || access === 'signed in'
  const changes = [method].flat().some((one) => one !== 'GET' && one !== 'HEAD')
  const isGuarded = access !== undefined && access !== 'anonymous'
  const mayBeForbidden = isGuarded && (access !== 'open' || changes || keyUse === 'never' || recentProof)
  const statuses: number[] = [500, 503, ...(schema.failures ?? [])]
  if (changes || schema.querystring || schema.params) statuses.push(400)
  if (schema.body) statuses.push(413, 415)
  if (needsSession) statuses.push(401)
  if (needsSession && changes) statuses.push(429)
  if (mayBeForbidden) statuses.push(403)
  return [...new Set(statuses)].sort((one, other) => one - other)
}
