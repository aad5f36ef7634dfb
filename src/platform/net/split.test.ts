import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authority, goodCertificate, leafKey } from '../../../test/support/fakes/certificates.ts'
import { describeAnswer, testOutbound } from '../../../test/support/outbound-client.ts'

let answer: (socket: Socket) => Promise<void>
const open = new Set<Socket>()
const serve = (socket: Socket) => {
  open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)))
  socket.once('data', () => answer(socket))
}
async function originOf(server: Server, scheme: string): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => void server.close())
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const plain = await originOf(createServer({ noDelay: true }, serve), 'http')
const safe = await originOf(createTlsServer({ key: leafKey, cert: goodCertificate }, serve), 'https')
beforeAll(() => setDefaultCACertificates([...getCACertificates('default'), authority]))

/** Waits a few turns of the event loop, within which the client reads what was written. */
async function untilRead() {
  for (let turn = 0; turn < 6; turn += 1) await setImmediate()
}
async function sendParts(socket: Socket, parts: readonly Uint8Array[]) {
  for (const part of parts) {
    socket.write(part)
    await untilRead()
  }
}
/** The bytes as one part, as two parts cut at every position, and byte by byte. */
const splits = (bytes: Buffer): Buffer[][] => [
  [bytes],
  ...Array.from(bytes.subarray(1), (_, at) => [bytes.subarray(0, at + 1), bytes.subarray(at + 1)]),
  Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)),
]

const options = { timeout: 60_000, maxBytes: 1_000, partialBody: true }

async function outcomeAt(origin: string) {
  const outcome = await testOutbound().request(origin, options)
  if (!outcome.answered) return outcome.note
  const { status, headers, body, brokenOff } = outcome
  return [status, headers.location, Buffer.from(body).toString(), brokenOff?.note]
}
async function outcomesOf(bytes: string | Buffer, { origin = plain, keepsOpen = false } = {}) {
  const outcomes: unknown[] = []
  for (const parts of splits(Buffer.from(bytes))) {
    answer = async (socket) => {
      await sendParts(socket, parts)
      if (!keepsOpen) socket.end()
    }
    outcomes.push(await outcomeAt(origin))
  }
  await expect.poll(() => open.size).toBe(0)
  return outcomes
}

const ok = 'HTTP/1.1 200 OK\r\n'
const odd = `${ok}X A: b\r\n`
const length = 'Content-Length: 8\r\n'
const ready = [200, undefined, 'ok ready', undefined]
const chunked = `${odd}Transfer-Encoding: chunked\r\n\r\n3\r\nok \r\n5\r\nready\r\n0\r\n\r\n`
const reset = 'connect: reset'
const malformed = 'http: malformed answer'

describe('A response is read the same wherever it is split in transit:', () => {
  test.each<[string, string, unknown]>([
    ['a redirect', 'HTTP/1.1 302\r\nX(A): b\r\nLocation: /fail\r\n\r\n', [302, '/fail', '', undefined]],
    ['the same length twice', `${ok}${length}${length}\r\nok ready`, ready],
    ['a length that is a list', `${ok}Content-Length: 8, 8\r\n\r\nok ready, and no more`, ready],
    ['an invalid length', `${ok}Content-Length: x\r\n\r\nok ready`, ready],
    ['a line without a colon', `${ok}Oops\r\n${length}\r\nok ready`, ready],
    ['a header without a name', `${ok}: b\r\n${length}\r\nok ready`, ready],
    ['a space in a name', `${ok}X A: b\n${length}\nok ready`, ready],
    ['a CR in a value', `${ok}X-A: b\rc\r\n${length}\r\nok ready`, ready],
    ['a status after two spaces', `HTTP/1.1  200 OK\r\n${length}\r\nok ready`, ready],
    ['early hints first', `HTTP/1.1 103\r\nX A: b\r\n${length}\r\n${odd}${length}\r\nok ready`, ready],
    ['chunks', chunked, ready],
    ['no length', `${odd}\r\nok\n\nready`, [200, undefined, 'ok\n\nready', undefined]],
    ['a body that breaks off', `${odd}${length}\r\nok`, [200, undefined, 'ok', reset]],
    ['a head that breaks off', `${odd}Location: /`, reset],
    ['another protocol', 'HTTP/1.1 101\r\nX A: b\r\nConnection: upgrade\r\nUpgrade: a\r\n\r\n', malformed],
    ['an invalid status', 'HTTP/1.1 2000 OK\r\nX A: b\r\n\r\n', malformed],
    ['a well-formed head', `${ok}${length}\r\nok ready`, ready],
  ])('%s', async (_what, text, expected) => {
    const outcomes = await outcomesOf(text)
    expect(outcomes).toEqual(outcomes.map(() => expected))
  })

  test('a binary body', async () => {
    const head = `${odd}Content-Encoding: gzip\r\n${length}${length}\r\n`.replaceAll('8', '28')
    const outcomes = await outcomesOf(Buffer.concat([Buffer.from(head), gzipSync('ok ready')]))
    expect(outcomes).toEqual(outcomes.map(() => ready))
  })

  test('over TLS', async () => {
    const outcomes = await outcomesOf(`${odd}${length}\r\nok ready`, { origin: safe })
    expect(outcomes).toEqual(outcomes.map(() => ready))
  })

  test.each([`${odd}${length}\r\nok ready`, chunked])('on a connection that stays open: %j', async (text) => {
    const outcomes = await outcomesOf(text, { keepsOpen: true })
    expect(outcomes).toEqual(outcomes.map(() => ready))
  })
})

describe('A response whose head the parser refuses', () => {
  /** Sends `first`, and then `repeated` until the client disconnects. */
  function trickle(first: string, repeated: string) {
    answer = async (socket) => {
      socket.write(first)
      while (socket.writable) {
        socket.write(repeated)
        await untilRead()
      }
    }
  }
  const visit = (options = {}) => describeAnswer(testOutbound().request(plain, { timeout: 60_000, ...options }))

  const hint = 'HTTP/1.1 103 Early Hints\r\nX A: b\r\n\r\n'
  test.each([
    ['endless headers', odd, `X A: ${'y'.repeat(10_000)}\r\n`, 'http | http: headers too large'],
    ['endless lengths', odd, `Content-Length: ${'1'.repeat(10_000)}\r\n`, 'http | http: headers too large'],
    ['an endless line', odd, 'y'.repeat(10_000), 'http | http: headers too large'],
    ['endless blank lines', '\r\n', '\r\n'.repeat(50_000), 'http | http: headers too large'],
    ['endless hints', hint, hint, 'http | http: malformed answer'],
  ])('with %s fails at the same limits as any other', async (_what, first, repeated, note) => {
    trickle(first, repeated)
    expect(await visit()).toBe(note)
    await expect.poll(() => open.size).toBe(0)
  })

  test('that is too long, too late or aborted closes its connection', async () => {
    trickle(`${odd}\r\n`, 'x'.repeat(500))
    expect(await visit({ maxBytes: 1_000 })).toBe('http | body over 1000 bytes')
    trickle(odd, 'X-A: b\r\n')
    expect(await visit({ timeout: 100 })).toBe('timeout | timeout after 0.1 s')
    trickle(`${odd}\r\n`, '')
    expect(await visit({ timeout: 100, maxBytes: 1_000 })).toBe('timeout | timeout after 0.1 s')
    const client = testOutbound()
    const note = describeAnswer(client.request(plain, { timeout: 60_000 }))
    answer = async (socket) => {
      await sendParts(socket, [Buffer.from(odd)])
      await client.close()
    }
    expect(await note).toBe('internal | internal: stopped')
    await expect.poll(() => open.size).toBe(0)
  })

  test('fails when its connection is reset', async () => {
    answer = async (socket) => {
      await sendParts(socket, [Buffer.from(odd)])
      socket.resetAndDestroy()
    }
    expect(await visit()).toBe('connect | connect: reset')
  })
})

test('A response that is not HTTP fails immediately, even if its line never ends', async () => {
  answer = async (socket) => void socket.write('\x4a\0\0\0')
  expect(await describeAnswer(testOutbound().request(plain, options))).toBe('http | http: malformed answer')
})
