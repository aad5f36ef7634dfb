import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { portOf, sendRaw } from '../../../../test/support/raw-http.ts'
import { testServer } from '../../../../test/support/scenes/test-server.ts'
import { open, signedIn } from '../access/guard.ts'
import { fastPath } from './fast-path.ts'
import { discardUnread } from './unread.ts'

const megabyte = 1024 * 1024
const big = Buffer.alloc(6 * megabyte, 'x')

async function scene() {
  const { app } = await testServer()
  app.post('/api/v1/small', open('write'), () => ({}))
  app.post('/api/v1/guarded', signedIn('write'), () => ({}))
  const answer = async () => ({ status: 204 })
  fastPath(app, { method: 'POST', prefix: '/hooks/', part: 'token', bodyLimit: 262_144, schema: {}, answer })
  const port = await portOf(app)

  /** The statuses that a client receives if it writes everything before it reads. */
  return async function send(head: string, body: Buffer) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.pause()
    const closed = once(socket, 'close').catch(() => {})
    let response = ''
    let failure: string | undefined
    socket.on('error', (error) => {
      failure = Object(error).code
    })
    socket.write(`${head}\r\nHost: a\r\n\r\n`)
    await new Promise((resolve) => socket.write(body, resolve))
    socket.on('data', (chunk) => {
      response += chunk
    })
    socket.resume()
    await closed
    return failure ?? [...response.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))
  }
}
const chunked = Buffer.concat([Buffer.from(`${big.length.toString(16)}\r\n`), big, Buffer.from('\r\n0\r\n\r\n')])
const sized = `Content-Length: ${big.length}`
const close = 'Connection: close'
const json = 'Content-Type: application/json'

test.each([
  ['a body that is too large', `POST /api/v1/small HTTP/1.1\r\n${json}\r\n${sized}`, big, [413]],
  [
    'a chunked body that is too large',
    `POST /api/v1/small HTTP/1.1\r\n${json}\r\nTransfer-Encoding: chunked\r\n${close}`,
    chunked,
    [413],
  ],
  ['a hook body that is too large', `POST /hooks/abc HTTP/1.1\r\n${json}\r\n${sized}\r\n${close}`, big, [413]],
  [
    'a chunked hook body that is too large',
    `POST /hooks/abc HTTP/1.1\r\n${json}\r\nTransfer-Encoding: chunked\r\n${close}`,
    chunked,
    [413],
  ],
  ['a body without signing in', `POST /api/v1/guarded HTTP/1.1\r\n${json}\r\n${sized}\r\n${close}`, big, [401]],
  ['a body to an unknown path', `POST /nowhere HTTP/1.1\r\n${json}\r\n${sized}\r\n${close}`, big, [404]],
  [
    'a body of another type',
    `POST /api/v1/small HTTP/1.1\r\nContent-Type: text/plain\r\n${sized}\r\n${close}`,
    big,
    [415],
  ],
  [
    'a body that is too large, after Expect: 100-continue',
    `POST /api/v1/small HTTP/1.1\r\n${json}\r\nExpect: 100-continue\r\n${sized}\r\n${close}`,
    big,
    [100, 413],
  ],
])('a client that sends %s receives the error in each of twenty tries', async (_what, head, body, expected) => {
  const send = await scene()
  const answers = []
  for (let time = 0; time < 20; time++) answers.push(await send(head, body))
  expect(answers).toEqual(Array(20).fill(expected))
})

test.each([
  ['more than the limit', { bytes: 2 * megabyte, timeout: 60_000 }, big],
  ['nothing more', { bytes: 2 * megabyte, timeout: 50 }, Buffer.alloc(megabyte)],
])('closes a connection that is answered and then sends %s', async (_what, bounds, body) => {
  const server = createServer((_request, response) => void response.writeHead(413).end())
  discardUnread(server, bounds)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {}).resume()
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${100 * megabyte}\r\n\r\n`)
  socket.write(body)
  await new Promise((resolve) => socket.once('close', resolve))
})

test('a connection can be reused after its unread body has been discarded', async () => {
  const { app } = await testServer()
  app.post('/api/v1/guarded', signedIn('write'), () => ({}))
  const first = Buffer.from(`POST /api/v1/guarded HTTP/1.1\r\nHost: a\r\n${sized}\r\n\r\n`)
  const second = Buffer.from(`GET /nowhere HTTP/1.1\r\nHost: a\r\n${close}\r\n\r\n`)
  const response = await sendRaw(await portOf(app), Buffer.concat([first, big, second]))
  expect(response.match(/HTTP\/1\.1 40\d/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 404'])
})
