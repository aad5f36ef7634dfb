import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod/mini'
import { portOf } from '../../../test/support/raw-http.ts'
import { byKey, callerWith, testServer } from '../../../test/support/scenes/test-server.ts'
import { type Milliseconds, seconds } from '../../shared/time.ts'
import { callerOf, guard } from '../http/access/guard.ts'
import { importRoute } from './route.ts'
import { createImportTurns, uploadPreempted } from './turns.ts'

const MB = 1_048_576

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }))
afterEach(() => void vi.useRealTimers())

function scene() {
  let now: Milliseconds = 0
  const turns = createImportTurns(() => now)
  const log: string[] = []
  /** Requests an upload of `length` bytes by this user, of which `comes` arrive immediately. */
  function ask(id: string, { length = 15 * MB, comes = 0 } = {}) {
    const caller = callerWith({})
    const raw = new EventEmitter()
    const socket = { bytesRead: 0 }
    const request = {
      caller: { ...caller, user: { ...caller.user, id } },
      headers: { 'content-length': String(length) },
      raw: { socket },
    } as unknown as FastifyRequest
    const begun = turns.begin(request, { raw } as unknown as FastifyReply, 20 * MB).then(
      () => {
        log.push(`${id} begins`)
        socket.bytesRead += comes
        turns.uploadOf(request)?.addEventListener('abort', () => log.push(`${id} gives way`))
      },
      ({ status }) => log.push(`${id} hears ${status}`),
    )
    return {
      begun,
      hangUp: () => raw.emit('close'),
      work: (work: () => Promise<string>) => turns.runInTurn(request, work),
    }
  }
  async function pass(time: Milliseconds) {
    for (const until = now + time; now < until; ) {
      now += 100
      await vi.advanceTimersByTimeAsync(100)
    }
  }
  return { ask, log, pass, turns }
}

test('a user imports one file at a time, from its first byte to the end of its import', async () => {
  const { ask, log } = scene()
  const first = ask('ada')
  await ask('ada').begun
  first.hangUp()
  const second = ask('ada')
  await second.begun
  let finish = (_done: string) => {}
  const working = second.work(() => new Promise((resolve) => (finish = resolve)))
  second.hangUp()
  await ask('ada').begun
  finish('done')
  expect(await working).toBe('done')
  await ask('ada').begun
  expect(log).toEqual(['ada begins', 'ada hears 429', 'ada begins', 'ada hears 429', 'ada begins'])
})

test('receives and imports files of up to 30 MB in total', async () => {
  const { ask, log, pass } = scene()
  const first = ask('a')
  await first.begun
  void first.work(() => new Promise<string>(() => {}))
  for (let n = 0; n < 15; n += 1) await ask(`small ${n}`, { length: 10, comes: 10 }).begun
  expect(log).toHaveLength(16)
  ask('late', { length: 10 })
  await pass(seconds(9))
  expect(log).toHaveLength(16)
  await pass(seconds(1))
  expect(log.slice(16)).toEqual(['late hears 429'])
})

test('an upload too slow to finish in time is cancelled for a waiting one, and a fast upload is not', async () => {
  const { ask, log, pass } = scene()
  await ask('slow', { comes: 2 * MB }).begun
  await ask('quick', { comes: 12 * MB }).begun
  ask('next')
  await pass(seconds(4.9))
  expect(log).toEqual(['slow begins', 'quick begins'])
  await pass(seconds(0.1))
  expect(log.slice(2)).toEqual(['slow gives way', 'next begins'])
  ask('another')
  await pass(seconds(4.9))
  expect(log.slice(4)).toEqual([])
})

test('a client that disconnects while it waits takes no place from others', async () => {
  const { ask, log, pass } = scene()
  await ask('slow', { comes: 2 * MB }).begun
  await ask('quick', { comes: 12 * MB }).begun
  const next = ask('next')
  await pass(seconds(4.9))
  next.hangUp()
  await pass(seconds(0.1))
  expect(log).toEqual(['slow begins', 'quick begins', 'next hears 429'])
})

test('six users who repeatedly open uploads cannot keep another from importing', async () => {
  const { ask, log, pass } = scene()
  const attackers = ['a', 'b', 'c', 'd', 'e', 'f']
  let open = attackers.map((id) => ask(id))
  const reopen = async () => {
    await pass(seconds(4))
    for (const one of open) one.hangUp()
    open = attackers.map((id) => ask(id))
  }
  await reopen()
  await reopen()
  ask('ada', { comes: 12 * MB })
  for (let n = 0; n < 5; n += 1) await reopen()
  expect(log).toContain('ada begins')
  expect(log.filter((line) => line.startsWith('ada'))).toEqual(['ada begins'])
})

test('a user who has not imported recently takes the place of one who has', async () => {
  const { ask, log, pass } = scene()
  for (const id of ['a', 'b']) {
    const upload = ask(id)
    await upload.begun
    upload.hangUp()
    await pass(seconds(1))
  }
  for (const id of ['a', 'b']) await ask(id, { comes: 14 * MB }).begun
  ask('ada')
  await pass(seconds(5))
  expect(log.slice(4)).toEqual(['a gives way', 'ada begins'])
})

test('each user may begin twenty imports a minute, even if none of them succeeds', async () => {
  const { ask, pass, turns } = scene()
  for (let count = 0; count < 20; count += 1) {
    const upload = ask('ada')
    await upload.begun
    upload.hangUp()
  }
  await pass(seconds(20))
  const caller = callerWith({})
  const begin = (id: string) => {
    const request = { caller: { ...caller, user: { ...caller.user, id } }, headers: {}, raw: { socket: {} } }
    return turns.begin(request as unknown as FastifyRequest, { raw: new EventEmitter() } as unknown as FastifyReply, MB)
  }
  await expect(begin('ada')).rejects.toMatchObject({
    status: 429,
    message: 'Too many imports. Try again in 40 seconds.',
    retryAfter: 40,
  })
  await begin('grace')
  await pass(seconds(40))
  await begin('ada')
})

test('a user over the limit per minute takes no place from others', async () => {
  const { ask, log, pass } = scene()
  for (let count = 0; count < 20; count += 1) {
    const upload = ask('eve')
    await upload.begun
    upload.hangUp()
  }
  for (const id of ['a', 'b']) await ask(id).begun
  await pass(seconds(6))
  await ask('eve').begun
  expect(log.slice(20)).toEqual(['a begins', 'b begins', 'eve hears 429'])
})

const call = {
  path: '/import',
  access: guard('Tools', 1, 'write'),
  types: ['text/plain'],
  otherType: '',
  most: 20 * MB,
  tags: [],
  summary: '',
  description: '',
  failures: [],
  Answer: z.unknown(),
  Refused: z.unknown(),
}
const report = { created: 0, changed: 0, same: 0, refused: [], lines: [] }
function identify({ headers }: FastifyRequest) {
  const caller = callerWith({ Tools: 1 }, byKey)
  return { ...caller, user: { ...caller.user, id: String(headers['x-user']) } }
}

test('a cancelled upload receives the reason while it is still being sent', async () => {
  const { app } = await testServer({ identify })
  let now: Milliseconds = 0
  const turns = createImportTurns(() => now)
  const begun = new EventEmitter()
  const begin: typeof turns.begin = async (request, reply, most) => {
    await turns.begin(request, reply, most)
    begun.emit(callerOf(request).user.id)
  }
  importRoute(app, { importTurns: { ...turns, begin } }, call, async () => ({ report }))
  const port = await portOf(app)
  async function upload(user: string, length: number) {
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const head = ['POST /import HTTP/1.1', 'Host: a', `X-User: ${user}`, 'Content-Type: text/plain']
    socket.write([...head, `Content-Length: ${length}`, '', ''].join('\r\n'))
    const answer = once(socket, 'data').then(([chunk]) => String(chunk))
    return { socket, answer }
  }
  vi.useRealTimers()
  const first = once(begun, 'a')
  const slow = await upload('a', 15 * MB)
  await first
  const second = once(begun, 'b')
  await upload('b', 15 * MB)
  await second
  now = seconds(5)
  const { socket, answer } = await upload('ada', 2)
  socket.write('ok')
  expect(await answer).toContain('HTTP/1.1 200')
  const response = await slow.answer
  expect(response).toContain('HTTP/1.1 503')
  expect(response).toContain('retry-after: 5')
  expect(response).toContain(JSON.stringify({ error: uploadPreempted }))
})

test('a client that disconnects before it is identified leaves no import that would block the next one', async () => {
  const arrived = new EventEmitter()
  const { app } = await testServer({
    async identify(request) {
      if (request.headers['x-leaves']) {
        const closed = once(request.raw.socket, 'close')
        arrived.emit('head')
        await closed
      }
      return identify(request)
    },
  })
  const turns = createImportTurns(() => 0)
  const begin: typeof turns.begin = (request, reply, most) =>
    turns.begin(request, reply, most).finally(() => arrived.emit('end'))
  importRoute(app, { importTurns: { ...turns, begin } }, call, async () => ({ report }))
  const port = await portOf(app)
  vi.useRealTimers()
  const [head, end] = [once(arrived, 'head'), once(arrived, 'end')]
  const headers = { 'content-type': 'text/plain', 'x-user': 'ada' }
  const socket = connect(port, '127.0.0.1')
  const lines = Object.entries({ host: 'a', ...headers, 'x-leaves': 'yes', 'content-length': 2 })
  socket.write(`POST /import HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  await head
  socket.destroy()
  await end
  const answer = await app.inject({ method: 'POST', url: '/import', headers, body: 'ok' })
  expect(answer.statusCode).toBe(200)
})
