import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { portOf, sendRaw } from '../../../test/support/raw-http.ts'
import { testServer } from '../../../test/support/scenes/test-server.ts'
import { fieldConflict, HttpError } from '../../shared/http-error.ts'
import { DatabaseUnavailable } from '../db/unavailable.ts'
import { open } from './access/guard.ts'

const json = { 'content-type': 'application/json' }

async function serverWithRoutes() {
  const server = await testServer()
  const { app } = server
  const body = z.strictObject({ url: z.string(), filter: z.strictObject({ names: z.array(z.string()) }) })
  app.post('/api/v1/things', { ...open('write'), schema: { body } }, () => ({ done: true }))
  app.post('/api/v1/plain', open('write'), () => ({ done: true }))
  app.get('/api/v1/named', { ...open('read'), schema: { querystring: z.object({ id: z.string() }) } }, () => ({
    done: true,
  }))
  app.get('/api/v1/taken', open('read'), () => Promise.reject(fieldConflict('email', 'This email is taken.')))
  app.get('/api/v1/busy', open('read'), () => Promise.reject(new HttpError(429, 'Slow down.', { retryAfter: 1.2 })))
  app.get('/api/v1/full', open('read'), () => Promise.reject(new DatabaseUnavailable('full', new Error('SQLITE_FULL'))))
  app.get('/api/v1/broken', open('read'), () => Promise.reject(new Error('select secret_column from hidden_table')))
  const schema = { response: { 200: z.object({ a: z.int() }) } }
  app.get('/api/v1/unfit', { ...open('read'), schema }, () => JSON.parse('{"a":"text"}'))
  return server
}
const post = async (payload: string, headers: Record<string, string> = json, url = '/api/v1/things') => {
  const { app } = await serverWithRoutes()
  const answer = await app.inject({ method: 'POST', url, payload, headers })
  return { status: answer.statusCode, body: answer.json() }
}
const get = async (url: string) => {
  const { app, lines } = await serverWithRoutes()
  const answer = await app.inject(url)
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers, lines }
}

test('reports every invalid field of the body, at any depth, and every unknown field', async () => {
  const { status, body } = await post(JSON.stringify({ url: 5, filter: { names: ['a', 2], more: 1 }, colour: 'red' }))
  expect(status).toBe(400)
  expect(body.error).toBe('Some fields are not valid.')
  expect(Object.keys(body.fields).sort()).toEqual(['colour', 'filter', 'url'])
  expect(body.fields.colour).toBe('Unknown field.')
})

test('explains a single invalid field in a self-contained sentence', async () => {
  const filter = { names: [] }
  expect((await post(JSON.stringify({ filter }))).body).toEqual({
    error: 'The field url is missing.',
    fields: { url: 'This is missing.' },
  })
  expect((await post(JSON.stringify({ url: 5, filter }))).body).toEqual({
    error: 'The field url must be text.',
    fields: { url: 'This must be text.' },
  })
  expect((await post(JSON.stringify({ url: 'x', filter, a: 1 }))).body.error).toBe('Unknown field: a.')
})

test.each([
  [{ url: 'x', filter: [] }, 'The field filter must be an object.'],
  [{ url: 'x', filter: { names: 'a' } }, 'The field filter.names must be a list.'],
  [{ url: 'x', filter: {} }, 'The field filter.names is missing.'],
  [{ url: ['x'], filter: { names: [] } }, 'The field url must be a single value.'],
])('names the value of the wrong type in %j', async (payload, error) => {
  expect((await post(JSON.stringify(payload))).body).toMatchObject({ error })
})

test('names a parameter that appears twice', async () => {
  expect(await get('/api/v1/named?id=a&id=b')).toMatchObject({
    status: 400,
    body: { error: 'The field id must be a single value.', fields: { id: 'This must be a single value.' } },
  })
})

test('names an unknown field even if every object inherits a property of that name', async () => {
  const { body } = await post(JSON.stringify({ url: 'x', filter: { names: [] }, constructor: 1 }))
  expect(body).toEqual({ error: 'Unknown field: constructor.', fields: { constructor: 'Unknown field.' } })
})

test.each([
  ['{"url": ', 'The body is not valid JSON.'],
  ['{"__proto__": {}}', 'The body is not valid JSON.'],
  ['[]', 'Send a JSON object.'],
  ['', 'Send a JSON object.'],
])('refuses the body %j with a 400', async (payload, error) => {
  expect(await post(payload)).toEqual({ status: 400, body: { error } })
})

test('accepts an empty body where none is needed, even if a content type is given', async () => {
  expect(await post('', json, '/api/v1/plain')).toEqual({ status: 200, body: { done: true } })
})

test('refuses a body that is not JSON with a 415, and one that is too large with a 413', async () => {
  expect(await post('hello', { 'content-type': 'text/plain' })).toMatchObject({ status: 415 })
  expect(await post(`"${'x'.repeat(1_100_000)}"`)).toEqual({ status: 413, body: { error: 'The body is too large.' } })
})

test('answers an HttpError with its status, fields and Retry-After in whole seconds', async () => {
  expect(await get('/api/v1/taken')).toMatchObject({
    status: 409,
    body: { error: 'This email is taken.', fields: { email: 'This email is taken.' } },
  })
  expect((await get('/api/v1/busy')).headers['retry-after']).toBe('2')
})

test.each(['/api/v1/broken', '/api/v1/unfit'])(
  'logs the cause of a failure in %s but does not reveal it',
  async (url) => {
    const { status, body, lines } = await get(url)
    expect([status, body]).toEqual([500, { error: 'Something went wrong.' }])
    expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'request failed', reqId: expect.any(String), url })
  },
)

test.each(['/api', '/api/nothing', '/api/v1/nothing/here', '/api/v1/things'])(
  'answers %s with a 404 in JSON',
  async (url) => {
    expect(await get(url)).toMatchObject({
      status: 404,
      body: { error: 'Not found.' },
      headers: { 'cache-control': 'no-store' },
    })
  },
)

test('answers a URL that cannot be decoded with a 400', async () => {
  expect(await get('/api/%ZZ')).toMatchObject({
    status: 400,
    body: { error: 'The request is malformed.' },
    headers: { 'cache-control': 'no-store' },
  })
})

test.each([
  ['a request that is not HTTP', 'HELLO\r\n\r\n', 400],
  ['endless headers', `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}`, 431],
  ['too many cookies', `GET / HTTP/1.1\r\nHost: a\r\nCookie: ${'a=b; '.repeat(140_000)}\r\n\r\n`, 431],
])('answers %s with an error message and closes the connection', async (_what, bytes, status) => {
  const { app } = await serverWithRoutes()
  const answer = await sendRaw(await portOf(app), bytes)
  expect(answer).toContain(`HTTP/1.1 ${status} `)
  expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toEqual({ error: expect.stringMatching(/\.$/) })
})

test('explains that the database is unavailable, and logs the cause', async () => {
  const { status, body, lines } = await get('/api/v1/full')
  expect([status, body]).toEqual([503, { error: "The server's disk is full, so nothing was saved." }])
  expect(lines.join()).toContain('SQLITE_FULL')
})
