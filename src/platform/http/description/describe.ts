import { STATUS_CODES } from 'node:http'
import swagger from '@fastify/swagger'
import { fastify, type RouteOptions } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Config } from '../../config/config.ts'
import type { Access, KeyUse } from '../access/guard.ts'
import { sessionCookieName } from '../access/origin.ts'
import type { ErrorBody } from '../errors.ts'
import { schemaController } from '../server.ts'
import { errorAnswers, examplesOf, retryAfter, usualAnswers } from './error-answers.ts'
import { failuresOf } from './failures.ts'

type Api = OpenAPIV3_1.Document

/** These routes as OpenAPI 3.1. They are mounted once more, since what describes them wants to see that. */
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
      const failures = failuresOf({ method, config, schema: document.schema })
      const described = {
        tags: [tagOf(url)],
        operationId: operationIdOf(String(method), url),
        ...schema,
        [ownFailures]: [...failures],
        security: securityFor(access, keyUse),
        description: [whoMay(access, schema?.description), forKeys[keyUse ?? 'read']].join(''),
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

function whoMay(access: Access | undefined, said: string | undefined): string {
  const who =
    typeof access === 'object'
      ? `Requires ${access[0]} ≥ ${access[1]}.`
      : isForAll(access)
        ? 'Public.'
        : 'Requires sign-in.'
  return said ? `${said} ${who}` : who
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
      description: 'Set if the call works once the user has proved who they are.',
    },
  },
}

/** A name that generated clients call the operation by: `GET /api/v1/things/list` is `getThingsList`. */
function operationIdOf(method: string, url: string): string {
  const parts = url.replace(/^\/api(?:\/v1)?/, '').split(/[^A-Za-z0-9:]+/)
  const words = parts.map((part) => part.replace(/^:(.)/, (_all, first) => `by${first.toUpperCase()}`))
  return [method.toLowerCase(), ...words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))].join('')
}

/** Where the failures of an operation stand until all are described. */
const ownFailures = 'x-failures'
type Operation = OpenAPIV3_1.OperationObject & { [ownFailures]?: [number, ErrorBody[]][] }

/** Every operation says how it fails, in one shape. */
function withErrors(api: Api): Api {
  for (const path of Object.values(api.paths ?? {}))
    for (const operation of Object.values(path ?? {}))
      if (typeof operation === 'object' && 'responses' in operation) describeAnswers(operation)
  const { schemas, responses, ...others } = api.components ?? {}
  const components = {
    ...others,
    schemas: { ...schemas, Error: errorBody },
    responses: { ...responses, ...usualAnswers },
  }
  return { ...api, components }
}

/** Adds its errors to an operation; those that have a shape of their own get the examples. */
function describeAnswers(operation: Operation) {
  const { [ownFailures]: listed = [], responses = {} } = operation
  delete operation[ownFailures]
  const failures = new Map(listed)
  for (const [status, response] of Object.entries(responses)) {
    if ('$ref' in response) continue
    if (response.description === 'Default Response') response.description = STATUS_CODES[status] ?? 'Answer'
    const says = failures.get(Number(status)) ?? []
    const json = response.content?.['application/json']
    if (json && says.length > 0) Object.assign(json, examplesOf(says))
    if (json && status === '429') response.headers = retryAfter
  }
  operation.responses = { ...errorAnswers(failures), ...responses }
}
