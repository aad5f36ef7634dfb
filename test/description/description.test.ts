import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { OpenAPIV3_1 } from 'openapi-types'
import { expect, test } from 'vitest'
import { closeAfterwards, toolbox } from '../support/toolbox.ts'

const box = closeAfterwards(await toolbox('sqlite'))
const api: OpenAPIV3_1.Document = (await box.app.inject('/api/v1/openapi.json')).json()

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const
const operations = () =>
  Object.entries(api.paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item?.[method]
      return operation ? [{ name: `${method.toUpperCase()} ${path}`, operation }] : []
    }),
  )

test('two validators accept the description, and all examples match their schemas', async () => {
  const validator = new Validator()
  expect(await validator.validate(structuredClone(api))).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
  const rules = {
    struct: 'error',
    'no-unresolved-refs': 'error',
    'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: false },
    'no-invalid-schema-examples': 'error',
    'operation-operationId': 'error',
    'operation-operationId-unique': 'error',
    'operation-operationId-url-safe': 'error',
    'operation-summary': 'error',
    'operation-parameters-unique': 'error',
    'path-parameters-defined': 'error',
    'no-ambiguous-paths': 'off',
    'no-identical-paths': 'error',
    'security-defined': 'error',
    'no-enum-type-mismatch': 'error',
    'no-path-trailing-slash': 'error',
  } as const
  const found = await lintFromString({ source: JSON.stringify(api), config: await createConfig({ rules }) })
  expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
})

test('every list filter has a description', () => {
  const filters = operations().flatMap(({ name, operation }) =>
    (operation.parameters ?? []).flatMap((parameter) =>
      'name' in parameter && parameter.name.startsWith('filter[') ? [{ name, parameter }] : [],
    ),
  )
  expect(filters.length).toBeGreaterThan(20)
  for (const { name, parameter } of filters) expect(parameter.description, `${name} ${parameter.name}`).toBeTruthy()
})

function resolved(response: OpenAPIV3_1.ResponseObject | OpenAPIV3_1.ReferenceObject): OpenAPIV3_1.ResponseObject {
  if (!('$ref' in response)) return response
  const named = api.components?.responses?.[response.$ref.split('/').at(-1)!]
  if (!named || '$ref' in named) throw new Error(`${response.$ref} is not there.`)
  return named
}

test('every operation lists its errors, each with a schema and an example', () => {
  const all = operations()
  expect(all.length).toBeGreaterThan(100)
  for (const { name, operation } of all) {
    const statuses = Object.keys(operation.responses ?? {})
    expect(statuses, name).toEqual(expect.arrayContaining(['500', '503', 'default']))
    const isSafe = name.startsWith('GET ')
    const isOpen = operation.security?.length === 0
    if (!isOpen) expect(statuses, name).toEqual(expect.arrayContaining(['401', '403']))
    // A provider's callback always redirects to a page, even for invalid parameters.
    const answersByPage = statuses.includes('302')
    if (!answersByPage && (!isSafe || operation.parameters)) expect(statuses, name).toContain('400')
    if (operation.requestBody) expect(statuses, name).toEqual(expect.arrayContaining(['413', '415']))
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      const { description, content = {}, headers } = resolved(response)
      expect(description, `${name} ${status}`).not.toBe('Default Response')
      if (/^[123]/.test(status)) continue
      const [media] = Object.values(content)
      const schema = media?.schema
      expect(schema, `${name} ${status}`).toBeDefined()
      const inSchema = schema && 'examples' in schema ? schema.examples : undefined
      const example = media?.example ?? media?.examples ?? inSchema
      expect(example, `${name} ${status} has no example`).toBeDefined()
      if (status === '429' && content['application/json']) expect(headers, name).toHaveProperty('Retry-After')
    }
  }
})

test('calls with an id list a 404, and rate-limited calls a 429', () => {
  const listing = (status: string) =>
    operations().flatMap(({ name, operation }) => (operation.responses?.[status] ? [name] : []))
  const byId = operations().filter(({ operation }) =>
    operation.parameters?.some((one) => 'name' in one && one.name === 'id' && one.required),
  )
  expect(byId.length).toBeGreaterThan(20)
  expect(listing('404')).toEqual(expect.arrayContaining(byId.map(({ name }) => name)))
  expect(listing('429')).toEqual(
    expect.arrayContaining(['POST /api/auth/sign-in/username', 'POST /api/v1/keepalive', 'POST /api/v1/keepalive/run']),
  )
  expect(listing('409')).toEqual(expect.arrayContaining(['PATCH /api/v1/keepalive', 'POST /api/v1/admin/user']))
})

test('operations are grouped under readable headings', () => {
  const headings = [...new Set(operations().flatMap(({ operation }) => operation.tags ?? []))]
  expect(headings).toEqual(expect.arrayContaining(['Sign-in', 'Your account', 'Users']))
  expect(headings.filter((heading) => !/^[A-Z]/.test(heading))).toEqual([])
})

test('a provider’s callback is described as always redirecting to a page', () => {
  const { '200': ok, '302': onward } = api.paths?.['/api/auth/callback/{provider}']?.get?.responses ?? {}
  expect([ok, onward]).toEqual([undefined, expect.objectContaining({ description: expect.stringContaining('page') })])
})
