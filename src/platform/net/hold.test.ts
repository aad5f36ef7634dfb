import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { serveSleeper } from '../../../test/support/fakes/fake-sleepers.ts'
import { testOutbound } from '../../../test/support/outbound-client.ts'

let spoil: (socket: WebSocket) => void

const session = (path: string) => (path === '/refused' ? undefined : { end() {} })
const app = { answer: () => ({ status: 404 }), session }
const served = await serveSleeper(app, { onSession: (socket) => spoil(socket) })
const client = testOutbound()
afterAll(async () => {
  await client.close()
  await served.close()
})
beforeEach(() => {
  spoil = () => undefined
})
const hold = (path = '/', time = 30, by = client, port = served.port) =>
  by.hold(`http://127.0.0.1:${port}${path}`, {
    visitor: { ownerId: 'ada' },
    timeout: 5_000,
    protocol: 'streamlit',
    time,
  })

test('a WebSocket stays open for the requested time and is then closed', async () => {
  const { closed } = served.sessions
  expect(await hold()).toEqual({ held: true })
  await expect.poll(() => served.sessions.closed).toBe(closed + 1)
})

test('a WebSocket that is refused or closed early counts as not held', async () => {
  expect(await hold('/refused')).toMatchObject({ held: false, note: 'http: answered 403 instead of a WebSocket' })
  spoil = (socket) => socket.close(1000)
  expect(await hold('/', 5_000)).toMatchObject({ held: false, note: 'http: the WebSocket was closed early' })
  spoil = (socket) => socket.terminate()
  expect(await hold('/', 5_000)).toMatchObject({ held: false, note: 'http: the WebSocket was closed early' })
})

test('a hostile host cannot make us buffer its data or send endless pongs', async () => {
  let pongs = 0
  let waiting = () => 0
  spoil = (socket) => {
    waiting = () => socket.bufferedAmount
    socket.on('pong' as 'ping', () => {
      pongs += 1
    })
    for (let n = 0; n < 1_000; n++) socket.ping()
    for (let n = 0; n < 64; n++) socket.send(new Uint8Array(1_000_000))
  }
  expect(await hold('/', 200)).toEqual({ held: true })
  expect(pongs).toBeLessThanOrEqual(10)
  expect(waiting()).toBeGreaterThan(50_000_000)
})

test('opening a WebSocket to a silent server times out, and to a private address is refused', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as { port: number }
  const opening = client.hold(`http://127.0.0.1:${port}/`, { timeout: 50, protocol: 'streamlit', time: 50 })
  expect(await opening).toMatchObject({ held: false, failure: 'timeout' })
  silent.close()
  const strict = testOutbound({ allowPrivateCidrs: [] })
  expect(await hold('/', 30, strict)).toMatchObject({ held: false, note: 'blocked: private address' })
  await strict.close()
})
