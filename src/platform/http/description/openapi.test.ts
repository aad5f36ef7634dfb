import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { testServer } from '../../../../test/support/scenes/test-server.ts'
import { guard, open, signedIn } from '../access/guard.ts'
import { openapi } from './openapi.ts'

const ui = new URL('../../../ui/', import.meta.url)

async function described() {
  const { app, config } = await testServer()
  openapi(app, config, ui)
  const body = z.strictObject({ name: z.string().check(z.minLength(1)), tags: z.array(z.string()) })
  const response = { 200: z.object({ id: z.string() }) }
  const schema = { summary: 'Make a <thing>', body, response }
  app.post('/api/v1/things', { ...guard('Tools', 1, 'write'), schema }, () => ({ id: 'a' }))
  app.delete('/api/v1/things', signedIn('never'), () => ({}))
  app.get('/api/v1/things/:id', { ...open('read'), schema: { params: z.object({ id: z.string() }) } }, () => ({}))
  return app
}

test('describes the schemas, access and errors of each route', async () => {
  const answer = await (await described()).inject('/api/v1/openapi.json')
  const api = answer.json()
  expect(answer.headers['cache-control']).toBe('no-store')
  expect([api.openapi, api.info.title]).toEqual(['3.1.0', 'ToolBox'])
  const { post } = api.paths['/api/v1/things']
  expect(post.requestBody.content['application/json'].schema).toMatchObject({
    required: ['name', 'tags'],
    properties: { name: { minLength: 1 } },
  })
  expect(post.responses['200'].content['application/json'].schema.properties).toEqual({ id: { type: 'string' } })
  expect(post).toMatchObject({
    tags: ['things'],
    security: [{ session: [] }, { apiKey: [] }],
    description: 'Requires Tools ≥ 1.',
  })
  expect(api.paths['/api/v1/things'].delete).toMatchObject({
    security: [{ session: [] }],
    description: 'Requires sign-in. Not available with an API key.',
  })
  expect(api.paths['/api/v1/things/{id}'].get).toMatchObject({
    security: [],
    responses: { default: { $ref: '#/components/responses/Error' } },
  })
  expect(api.components.schemas.Error.required).toEqual(['error'])
  expect(Object.keys(api.components.securitySchemes)).toEqual(['session', 'apiKey'])
  expect(api.paths['/api/v1/openapi.json']).toBeUndefined()
})

test.each(['/api/docs', '/api/v1/openapi.json'])('compresses %s', async (url) => {
  const { app, config } = await testServer()
  openapi(app, config, ui)
  const description = 'a long description of this call, '.repeat(1_000)
  app.get('/api/v1/things', { ...open('read'), schema: { description } }, () => ({}))
  const answer = await app.inject({ url, headers: { 'accept-encoding': 'gzip' } })
  expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
  expect(gunzipSync(answer.rawPayload).toString()).toContain(description)
})

test('shows the description on a page with escaped texts, which loads only its own files', async () => {
  const app = await described()
  const page = await app.inject('/api/docs')
  expect(page.body).toContain('Make a &lt;thing&gt;')
  expect(page.body).toContain('data-path="/api/v1/things"')
  expect(page.headers['content-security-policy']).toContain("script-src 'self';")
  const fonts = [...(await app.inject('/api/docs/app.css')).body.matchAll(/url\("([^"]+)"\)/g)]
  expect(fonts).toHaveLength(4)
  const linked = page.body.matchAll(/(?:src|href)="(\/api\/docs\/[^"]+)"/g)
  for (const [, url] of [...linked, ...fonts])
    expect((await app.inject(new URL(url!, 'http://x/api/docs/').pathname)).statusCode, url).toBe(200)
  expect(page.body).toContain('Authorization: Bearer tbx_…')
  expect((await app.inject('/api/docs/docs.js')).headers['content-type']).toContain('javascript')
})
