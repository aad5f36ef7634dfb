import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { portOf } from '../../../../test/support/raw-http.ts'
import { testServer } from '../../../../test/support/scenes/test-server.ts'
import { fastPath } from './fast-path.ts'
import { unanswered } from './unanswered.ts'

async function scene() {
  const server = createServer()
  const answers = unanswered(server)
  const waiting: ServerResponse[] = []
  server.on('request', (request, response) => {
    if (answers.tryAcquire(request, response)) waiting.push(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const ask = (times: number) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {}).resume()
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(times))
    return socket
  }
  return { answers, waiting, ask }
}

test('closes a connection that sends its 101st request before any response, and no other connection', async () => {
  const { answers, waiting, ask } = await scene()
  ask(100)
  await expect.poll(() => waiting.length).toBe(100)
  await once(ask(101), 'close')
  expect(waiting).toHaveLength(200)
  expect(answers.isIdle()).toBe(false)
  for (const response of waiting.slice(0, 100)) response.end()
  await expect.poll(answers.isIdle).toBe(true)
})

test('a connection may send more requests after the responses', async () => {
  const { answers, waiting, ask } = await scene()
  const socket = ask(60)
  await expect.poll(() => waiting.length).toBe(60)
  for (const response of waiting) response.end()
  await expect.poll(answers.isIdle).toBe(true)
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(60))
  await expect.poll(() => waiting.length).toBe(120)
})

test('a closed connection has no unanswered requests', async () => {
  const { answers, waiting, ask } = await scene()
  const socket = ask(3)
  await expect.poll(() => waiting.length).toBe(3)
  socket.destroy()
  await expect.poll(answers.isIdle).toBe(true)
})

test.each(['/hot/a', '/hot/%61'])('the server closes a connection that endlessly requests %s', async (path) => {
  const { app } = await testServer()
  let requests = 0
  const answer = () => {
    requests += 1
    return new Promise<never>(() => {})
  }
  fastPath(app, { method: 'GET', prefix: '/hot/', part: 'name', schema: {}, answer })
  const port = await portOf(app)
  const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(500)))
  socket.on('error', () => {}).resume()
  await once(socket, 'close')
  expect(requests).toBeLessThanOrEqual(100)
})
