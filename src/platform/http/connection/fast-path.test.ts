import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { sendRequest as askAt, portOf, sendRaw } from '../../../../test/support/raw-http.ts'
import { testServer } from '../../../../test/support/scenes/test-server.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { HttpError } from '../../../shared/http-error.ts'
import { openSqlite } from '../../db/sqlite/open.ts'
import { createMetrics } from '../../metrics.ts'
import { health } from '../health.ts'
import { type FastCall, fastPath } from './fast-path.ts'

async function server() {
  const { app, lines, config } = await testServer()
  const metrics = createMetrics()
  const standing = { health: { stalledActivity: () => undefined }, elapsed: () => 0 }
  health(app, { config, db: openSqlite(temporaryFolder()), isMigrated: async () => true, metrics, ...standing })
  const hooked: string[] = []
  app.addHook('onRequest', async ({ url }) => void hooked.push(url))
  const calls: FastCall[] = []
  const answer = async (call: FastCall) => {
    calls.push(call)
    if (call.part === 'fault') throw new HttpError(429, 'Not now.', { retryAfter: 5 })
    if (call.part === 'bug') throw new Error('a secret')
    if (call.part === 'empty') return { status: 204 }
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: `${call.part} für ${call.body}` }
  }
  fastPath(app, { method: 'GET', prefix: '/api/v1/quick/', part: 'name', schema: {}, answer })
  fastPath(app, { method: 'POST', prefix: '/hooks/quick/', part: 'token', bodyLimit: 10, schema: {}, answer })
  const port = await portOf(app)
  const ask = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const answer = await askAt(port, method, path, { body, headers })
    const { date: _, ...otherHeaders } = answer.headers
    return { ...answer, headers: otherHeaders }
  }
  return { app, ask, port, calls, hooked, lines, metrics }
}

test('answers a plain URL before all hooks and an encoded one after them, with equal responses', async () => {
  const { ask, calls, hooked } = await server()
  const plain = await ask('GET', '/api/v1/quick/a_b-1?c=%20d')
  expect(plain).toMatchObject({ status: 200, body: 'a_b-1 für ' })
  expect(hooked).toEqual([])
  expect(await ask('GET', '/api/v1/quick/a_b%2D1?c=%20d')).toEqual(plain)
  expect(await ask('GET', 'http://box.example/api/v1/quick/a_b-1?c=%20d')).toEqual(plain)
  expect(new Set(calls.map(({ url }) => decodeURIComponent(url)))).toEqual(new Set(['/api/v1/quick/a_b-1?c= d']))
  expect(await ask('HEAD', '/api/v1/quick/a_b-1')).toMatchObject({ status: 200, body: '' })
  expect(hooked).toHaveLength(3)
})

test('sends only the headers of the answer, its length and nosniff', async () => {
  const { ask } = await server()
  const always = { 'x-content-type-options': 'nosniff', connection: 'close' }
  const { headers } = await ask('GET', '/api/v1/quick/a', undefined, { cookie: 'toolbox.session_token=a.b' })
  expect(headers).toEqual({ ...always, 'content-type': 'text/plain', 'content-length': '7' })
  for (const path of ['empty', 'e%6Dpty'])
    expect(await ask('GET', `/api/v1/quick/${path}`)).toEqual({ status: 204, headers: always, body: '' })
})

test.each([
  ['fault', 429, 'Not now.'],
  ['bug', 500, 'Something went wrong.'],
])('an error thrown for %s gets a %i, as on other routes', async (part, status, error) => {
  const { ask, lines } = await server()
  const plain = await ask('GET', `/api/v1/quick/${part}`)
  expect([plain.status, JSON.parse(plain.body)]).toEqual([status, { error }])
  expect(await ask('GET', `/api/v1/quick/%${part.charCodeAt(0).toString(16)}${part.slice(1)}`)).toEqual(plain)
  expect(lines.filter((line) => line.includes('a secret'))).toHaveLength(status === 500 ? 2 : 0)
})

test.each([
  ['/api/v1/quick/', 404],
  ['/api/v1/quick/a/b', 404],
  ['/api/v1/quick/%E0%A4%A', 400],
  ['/api/v1/quic', 404],
])('leaves %s to other routes', async (path, status) => {
  const { ask, calls } = await server()
  expect((await ask('GET', path)).status).toBe(status)
  expect((await ask('OPTIONS', '/api/v1/quick/a')).status).toBe(404)
  expect(calls).toEqual([])
})

test('accepts bodies as bytes, whatever their content type, up to the limit', async () => {
  const { ask, calls, hooked } = await server()
  for (const type of ['application/json', 'nonsense'])
    expect((await ask('POST', '/hooks/quick/t', '{"a": 1', { 'content-type': type })).body).toBe('t für {"a": 1')
  expect((await ask('POST', '/hooks/quick/t', '')).body).toBe('t für ')
  expect(hooked).toEqual([])
  const chunked = { 'transfer-encoding': 'chunked', 'content-type': 'text/plain' }
  expect((await ask('POST', '/hooks/quick/t', 'in pieces', chunked)).body).toBe('t für in pieces')
  expect(calls).toHaveLength(4)
  expect((await ask('POST', '/hooks/quick/t', 'x'.repeat(11))).status).toBe(413)
  expect((await ask('POST', '/hooks/quick/t', 'x'.repeat(11), chunked)).status).toBe(413)
  expect(calls).toHaveLength(4)
})

test('joins a body that arrives in pieces, and never handles one that is cut off', async () => {
  const { app, port, calls } = await server()
  const head = 'POST /hooks/quick/t HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n'
  const [one, other] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  for (const socket of [one, other]) socket.write(`${head}abc`)
  await Promise.all([once(app.server, 'request'), once(app.server, 'request')])
  other.destroy()
  one.write('def')
  expect(String(await once(one, 'data'))).toContain('t für abcdef')
  one.destroy()
  expect(calls).toHaveLength(1)
})

test('is measured like every other route', async () => {
  const { ask, metrics } = await server()
  await ask('GET', '/api/v1/quick/a')
  await ask('GET', '/api/v1/quick/%61')
  expect(await metrics.text()).toContain('_count{method="GET",route="/api/v1/quick/:name",status="2xx"} 2')
})

test('a stop completes a response in progress', async () => {
  const { app } = await testServer()
  const [held, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const answer = async () => {
    arrived.resolve()
    await held.promise
    return { status: 200, body: 'done' }
  }
  fastPath(app, { method: 'GET', prefix: '/slow/', part: 'name', schema: {}, answer })
  const response = sendRaw(await portOf(app), 'GET /slow/a HTTP/1.1\r\nHost: a\r\n\r\n')
  await arrived.promise
  const closed = app.close()
  held.resolve()
  expect(await response).toMatch(/done$/)
  await closed
})

test('refuses a request with two Host headers, on the fast path and off it', async () => {
  const { port, calls, hooked } = await server()
  for (const path of ['/api/v1/quick/a', '/api/v1/quick/a%62', '/healthz']) {
    const bytes = `GET ${path} HTTP/1.1\r\nHost: tools.example.com\r\nhOST: evil.example\r\n\r\n`
    const [head, body] = (await sendRaw(port, bytes)).split('\r\n\r\n')
    expect([head?.split('\r\n')[0], JSON.parse(body ?? '')]).toEqual([
      'HTTP/1.1 400 Bad Request',
      { error: 'The request has more than one Host header.' },
    ])
  }
  expect([calls, hooked]).toEqual([[], []])
})
