import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import type { Caller } from './caller.ts'
import { eventsRoute } from './events-route.ts'
import { createEvents } from './live-events.ts'
import { callerWith, testServer } from './test-server.ts'

const people: Record<string, Caller> = {
  ada: callerWith({ Tools: 1 }),
  tim: { ...callerWith({ Tools: 2 }), user: { ...callerWith({ Tools: 2 }).user, id: 'u2' } },
}
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
})

async function started(timing: { heartbeat?: number; recheck?: number } = {}) {
  const gone = new Set<string>()
  const server = await testServer({
    identify: ({ headers }) =>
      gone.has(String(headers.authorization)) ? undefined : people[String(headers.authorization)],
  })
  const events = createEvents(server)
  eventsRoute(server.app, { events, identify: server.identify, ...timing })
  const url = await server.app.listen({ port: 0, host: '127.0.0.1' })
  closers.push(() => server.app.close())
  return { app: server.app, events, url, gone }
}

async function watch(url: string, who: string) {
  const aborting = new AbortController()
  const answer = await fetch(`${url}/api/v1/events`, { headers: { authorization: who }, signal: aborting.signal })
  const seen = { text: '', ended: false }
  const reading = (async () => {
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) seen.text += chunk
  })().catch(() => {})
  void reading.then(() => (seen.ended = true))
  return { answer, seen, leave: () => aborting.abort() }
}

test('sends an event to those it is for, and to nobody else', async () => {
  const { events, url } = await started()
  const [ada, tim] = [await watch(url, 'ada'), await watch(url, 'tim')]
  expect(ada.answer.headers.get('content-type')).toContain('text/event-stream')
  events.publish([
    { type: 'run', to: { userId: 'u1' }, data: { n: 1 } },
    { type: 'entry', to: { role: ['Tools', 2] }, data: { n: 2 } },
    { type: 'notification', to: { everyone: true }, data: { n: 3 } },
  ])
  await vi.waitFor(() => expect(tim.seen.text).toContain('"n":3'))
  expect(ada.seen.text).toBe('retry: 3000\n\nevent: run\ndata: {"n":1}\n\nevent: notification\ndata: {"n":3}\n\n')
  expect(tim.seen.text).toBe('retry: 3000\n\nevent: entry\ndata: {"n":2}\n\nevent: notification\ndata: {"n":3}\n\n')
})

test('refuses visitors, and the eleventh stream of one user until another one goes', async () => {
  const { url } = await started()
  expect((await fetch(`${url}/api/v1/events`)).status).toBe(401)
  const ten = await Promise.all(Array.from({ length: 10 }, () => watch(url, 'ada')))
  const refused = await fetch(`${url}/api/v1/events`, { headers: { authorization: 'ada' } })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  expect((await watch(url, 'tim')).answer.status).toBe(200)
  ten[0]!.leave()
  await vi.waitFor(async () => expect((await watch(url, 'ada')).answer.status).toBe(200))
})

test('keeps a quiet stream alive', async () => {
  const { url } = await started({ heartbeat: 20 })
  const { seen } = await watch(url, 'ada')
  await vi.waitFor(() => expect(seen.text).toContain(': still here'))
})

test('ends the stream of a session that ended, and only that', async () => {
  const { url, gone } = await started({ recheck: 20 })
  const [ada, tim] = [await watch(url, 'ada'), await watch(url, 'tim')]
  gone.add('ada')
  await vi.waitFor(() => expect(ada.seen.ended).toBe(true))
  await pause(60)
  expect(tim.seen.ended).toBe(false)
})

test('lets go of a client that does not read', async () => {
  const { app, events, url } = await started()
  const socket = (await import('node:net')).connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('GET /api/v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: ada\r\n\r\n')
  socket.pause()
  const connections = () =>
    new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)))
  await vi.waitFor(async () => expect(await connections()).toBe(1))
  const data = 'x'.repeat(200_000)
  await vi.waitFor(
    async () => {
      events.publish([{ type: 'run', to: { everyone: true }, data }])
      expect(await connections()).toBe(0)
    },
    { timeout: 10_000, interval: 5 },
  )
  socket.destroy()
})

test('does not hold up the stop of the server', async () => {
  const { app, url } = await started()
  const { seen } = await watch(url, 'ada')
  const start = performance.now()
  await app.close()
  expect(performance.now() - start).toBeLessThan(1_000)
  await vi.waitFor(() => expect(seen.ended).toBe(true))
})
