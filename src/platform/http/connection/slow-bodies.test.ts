import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { portOf } from '../../../../test/support/raw-http.ts'
import { testServer } from '../../../../test/support/scenes/test-server.ts'
import { HttpError } from '../../../shared/http-error.ts'
import type { Milliseconds } from '../../../shared/time.ts'
import { open } from '../access/guard.ts'
import { fastPath } from './fast-path.ts'

async function scene(bodyTime?: Milliseconds) {
  const { app } = await testServer(bodyTime === undefined ? {} : { bodyTime })
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
  app.post('/api/v1/slow', open('write'), async () => {
    await finished
    return {}
  })
  const sizes: number[] = []
  fastPath(app, {
    method: 'POST',
    prefix: '/hooks/',
    part: 'token',
    bodyLimit: 262_144,
    schema: {},
    checkPart: async (token) => {
      if (token !== 'known') throw new HttpError(404, 'Hook not found.')
    },
    answer: async ({ part, body }) => {
      sizes.push(body.length)
      return { status: part === 'known' ? 204 : 404 }
    },
  })
  const port = await portOf(app)
  /** Sends a request and leaves the connection open; `heard` returns the status of the response. */
  async function begin(head: string, ...parts: (string | Buffer)[]) {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.on('error', () => {})
    const received = once(app.server, 'request')
    const answered = once(socket, 'data')
    socket.write(`${head}\r\nHost: a\r\nContent-Type: application/json\r\n\r\n`)
    for (const part of parts) socket.write(part)
    await received
    return { socket, heard: async () => Number(/^HTTP\/1\.1 (\d+)/.exec(String((await answered)[0]))?.[1]) }
  }
  const send = async (...args: Parameters<typeof begin>) => (await begin(...args)).heard()
  return { begin, send, finish, sizes }
}

test.each(['/api/v1/slow', '/hooks/known'])('a request to %s whose body never arrives gets a 408', async (path) => {
  const { send } = await scene(50)
  expect(await send(`POST ${path} HTTP/1.1\r\nContent-Length: 10`, '{"a"')).toBe(408)
  expect(await send(`POST ${path} HTTP/1.1\r\nTransfer-Encoding: chunked`, '4\r\n{"a"\r\n')).toBe(408)
})

test('a handler may take longer than the time limit for the body', async () => {
  const { send, finish } = await scene(250)
  setTimeout(finish, 600)
  expect(await send('POST /api/v1/slow HTTP/1.1\r\nContent-Length: 2', '{}')).toBe(200)
})

test('when concurrent bodies exceed the memory limit, the oldest gets a 408', async () => {
  const { sizes, begin } = await scene()
  const held = 'POST /hooks/known HTTP/1.1\r\nContent-Length: 262144'
  const small = await begin('POST /hooks/known HTTP/1.1\r\nContent-Length: 3', '{')
  const first = await begin(held, '{')
  const second = await begin(held, '{')
  for (let n = 2; n < 129; n += 1) await begin(held, '{')
  expect(await first.heard()).toBe(408)
  small.socket.write('} ')
  expect(await small.heard()).toBe(204)
  second.socket.write(Buffer.alloc(262_143, ' '))
  expect(await second.heard()).toBe(204)
  expect(sizes).toEqual([3, 262_144])
})

test('refuses an unknown hook before its large body has arrived, but not a known one', async () => {
  const { send, sizes } = await scene()
  const most = Buffer.alloc(200_000, ' ')
  expect(await send('POST /hooks/unknown HTTP/1.1\r\nContent-Length: 200001', most)).toBe(404)
  expect(await send('POST /hooks/unknown HTTP/1.1\r\nTransfer-Encoding: chunked', '4\r\n{"a"\r\n')).toBe(404)
  expect(sizes).toEqual([])
  expect(await send('POST /hooks/known HTTP/1.1\r\nContent-Length: 200001', most, '1')).toBe(204)
  expect(sizes).toEqual([200_001])
})

test('immediately refuses a body for an unknown path, and a large one for an open call', async () => {
  const { send } = await scene()
  for (const path of ['/nowhere', '/api/v1/nowhere', '/hooks/a/b'])
    for (const length of ['Content-Length: 100', 'Transfer-Encoding: chunked'])
      expect(await send(`POST ${path} HTTP/1.1\r\n${length}`), path).toBe(404)
  expect(await send('POST /api/v1/slow HTTP/1.1\r\nContent-Length: 16385')).toBe(413)
  const chunk = `4001\r\n${' '.repeat(0x4001)}\r\n`
  expect(await send('POST /api/v1/slow HTTP/1.1\r\nTransfer-Encoding: chunked', chunk)).toBe(413)
})

test('a body that is too large gets a 413, even for an unknown hook', async () => {
  const { send } = await scene()
  expect(await send('POST /hooks/unknown HTTP/1.1\r\nContent-Length: 262145', '{')).toBe(413)
})
