import swagger from '@fastify/swagger'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Config } from '../config/config.ts'
import { type Access, type KeyUse, open } from './access/guard.ts'
import { sessionCookieName } from './access/origin.ts'
import type { App } from './app.ts'
import { docs } from './docs/page.ts'
import { compressed } from './page/compress-answer.ts'

type Api = OpenAPIV3_1.Document

/** Describes every route that is mounted after it, as OpenAPI 3.1 and as a page to read it and try it out, with the app's styles from the folder `ui`. */
export async function openapi(app: App, { baseUrl }: Config, ui: URL): Promise<void> {
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
      const { access, keyUse } = document.route.config ?? {}
      const described = {
        tags: [tagOf(url)],
        ...schema,
        security: securityFor(access, keyUse),
        description: [describe(access, schema?.description), forKeys[keyUse ?? 'read']].join(''),
      }
      return { schema: described, url }
    },
    transformObject: (document) => withErrors(jsonSchemaTransformObject(document) as Api),
  })
  docs(app, baseUrl, ui)
  app.get('/api/v1/openapi.json', { ...open(), schema: { hide: true }, onSend: compressed }, () => app.swagger())
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

function describe(access: Access | undefined, said: string | undefined): string {
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
  },
}

/** Every operation may fail in the same shape, so that shape is described in one place. */
function withErrors(api: Api): Api {
  for (const path of Object.values(api.paths ?? {}))
    for (const operation of Object.values(path ?? {}))
      if (typeof operation === 'object' && 'responses' in operation)
        operation.responses = { ...operation.responses, '4XX': { $ref: '#/components/responses/Error' } }
  const response = {
    description: 'An error.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
  const { schemas, responses, ...others } = api.components ?? {}
  const components = {
    ...others,
    schemas: { ...schemas, Error: errorBody },
    responses: { ...responses, Error: response },
  }
  return { ...api, components }
}
