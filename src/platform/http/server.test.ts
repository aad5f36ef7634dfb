import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { portOf, sendRaw } from '../../../test/support/raw-http.ts'
import { callerWith, testServer } from '../../../test/support/scenes/test-server.ts'
import { hours } from '../../shared/time.ts'
import { open, signedIn } from './access/guard.ts'

test('trusts proxies only as far as TRUST_PROXY allows', async () => {
  const addressWith = async (trustProxy: false | number | string[]) => {
    const { app } = await testServer({ config: { trustProxy } })
    app.get('/ip', ({ ip }) => ({ ip }))
    const headers = { 'x-forwarded-for': '203.0.113.1, 203.0.113.2' }
    return (await app.inject({ url: '/ip', headers, remoteAddress: '10.0.0.1' })).json().ip
  }
  expect(await addressWith(false)).toBe('10.0.0.1')
  expect(await addressWith(1)).toBe('203.0.113.2')
  expect(await addressWith(2)).toBe('203.0.113.1')
  expect(await addressWith(['10.0.0.0/8'])).toBe('203.0.113.2')
  expect(await addressWith(['192.168.0.0/16'])).toBe('10.0.0.1')
  expect(await addressWith(['0.0.0.0/0', '::/0'])).toBe('203.0.113.1')
})

test.each([
  ['203.0.113.1:4711', '203.0.113.1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['203.0.113.1:4711, 10.0.0.2:80', '203.0.113.1'],
])('strips the port from the client address that a proxy forwards: %s', async (forwarded, address) => {
  const { app } = await testServer({ config: { trustProxy: ['10.0.0.0/8'] } })
  app.get('/ip', ({ ip }) => ({ ip }))
  const answer = await app.inject({ url: '/ip', headers: { 'x-forwarded-for': forwarded }, remoteAddress: '10.0.0.1' })
  expect(answer.json().ip).toBe(address)
})

test('warns once when it receives forwarded headers that it does not trust', async () => {
  const { app, lines } = await testServer()
  await app.inject({ url: '/a', headers: { 'x-forwarded-for': '203.0.113.1' } })
  await app.inject({ url: '/b', headers: { 'x-forwarded-proto': 'https' } })
  expect(lines.filter((line) => line.includes('TRUST_PROXY'))).toHaveLength(1)
})

test('refuses a body that contains the maximum number of invalid values', async () => {
  const { app } = await testServer({ identify: () => callerWith({}) })
  const body = z.object({ letters: z.array(z.enum(['a', 'b'])) })
  app.post('/api/v1/letters', { ...open('write'), schema: { body } }, () => ({}))
  app.post('/api/v1/own-letters', { ...signedIn('write'), schema: { body } }, () => ({}))
  const send = (path: string, count: number) =>
    app.inject({ method: 'POST', url: `/api/v1/${path}`, payload: { letters: Array(count).fill(0) } })
  expect((await send('own-letters', 65_000)).statusCode).toBe(400)
  expect((await send('own-letters', 500_000)).statusCode).toBe(413)
  expect((await send('letters', 8_000)).statusCode).toBe(400)
  expect((await send('letters', 65_000)).statusCode).toBe(413)
})

test('answers a request with a content type but neither a body nor a length', async () => {
  const { app } = await testServer()
  app.post('/api/v1/things', open('write'), ({ body }) => ({ body: body ?? 'none' }))
  const lines = ['Host: a', 'Content-Type: application/json', 'Connection: close']
  const bytes = `POST /api/v1/things HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
  expect(await sendRaw(await portOf(app), bytes)).toContain('{"body":"none"}')
})

test('answers with and without a trailing slash', async () => {
  const { app } = await testServer()
  app.get('/api/v1/things', open('read'), () => ({}))
  const statuses = await Promise.all(
    ['/api/v1/things', '/api/v1/things/', '/api/v1/things/?a=1'].map((url) => app.inject(url)),
  )
  expect(statuses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
})

test.each([
  ['http://box.example/api/v1/things?a=%20b', '/api/v1/things?a=%20b', 'box.example'],
  ['HTTPS://ada@box.example:8080/api/v1/things', '/api/v1/things', 'box.example:8080'],
  ['http://box.example', '/', 'box.example'],
  ['http://box.example?a=1', '/?a=1', 'box.example'],
])('splits the target %s into a path and a host', async (target, url, host) => {
  const { app } = await testServer()
  const echo = ({ url, headers }: { url: string; headers: object }) => ({ url, headers })
  app.get('/api/v1/things', open('read'), echo)
  app.get('/', open('read'), echo)
  const bytes = `GET ${target} HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n`
  const [, body = ''] = (await sendRaw(await portOf(app), bytes)).split('\r\n\r\n')
  expect(JSON.parse(body)).toMatchObject({ url, headers: { host } })
})

test('a stop completes a response in progress, and does not wait for its idle connection', async () => {
  const { app } = await testServer({ lastAnswers: hours(1) })
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  app.get('/slow', async () => {
    arrive()
    await held
    return { done: true }
  })
  const answer = sendRaw(await portOf(app), 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
  await arrived
  const closed = app.close()
  await expect.poll(() => app.server.listening).toBe(false)
  letGo()
  expect(await answer).toContain('{"done":true}')
  await closed
})

test('a stop does not wait for a browser that connected without sending a request yet', async () => {
  const { app } = await testServer({ lastAnswers: hours(1) })
  const port = await portOf(app)
  const socket = connect(port, '127.0.0.1')
  await Promise.all([once(socket, 'connect'), once(app.server, 'connection')])
  await app.close()
})
