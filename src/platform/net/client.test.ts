import { deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { fakeWeb } from '../../../test/support/fakes/fake-web.ts'
import { describeAnswer, testOutbound, timeOutAfter } from '../../../test/support/outbound-client.ts'

const web = await fakeWeb()
afterAll(() => web.close())

const timeout = 60_000
/** The same gzip data with all optional header fields: extra, name, comment and CRC. */
const named = (packed: Buffer) => {
  const header = Buffer.from([...packed.subarray(0, 3), 4 + 8 + 16 + 2, ...packed.subarray(4, 10)])
  return Buffer.concat([header, Buffer.from('\x02\0abname\0comment\0cc'), packed.subarray(10)])
}
const ask = (path: string, options = {}) => testOutbound().request(web.origin + path, { timeout, ...options })

describe('A response', () => {
  test('has its status, lower-case headers and duration, and a body only on request', async () => {
    web.on('/headers', { status: 503, headers: { 'X-Big': 'A', 'Set-Cookie': 'a=1' }, body: 'No.', delay: 60 })
    const startedAt = performance.now()
    const answer = await ask('/headers')
    expect(answer).toMatchObject({ answered: true, status: 503, url: `${web.origin}/headers` })
    expect(answer).toMatchObject({ headers: { 'x-big': 'A', 'set-cookie': 'a=1' }, body: new Uint8Array() })
    expect(answer.duration).toBeGreaterThanOrEqual(55)
    expect(answer.duration).toBeLessThanOrEqual(Math.ceil(performance.now() - startedAt))
  })

  test('answers a request sent with the given method, path, headers and body, and our user agent', async () => {
    const answer = await ask('/echo?a=%20b', {
      method: 'post',
      headers: { 'X-Own': '1' },
      body: 'grüße',
      maxBytes: 9_999,
    })
    expect(answer.answered && JSON.parse(Buffer.from(answer.body).toString())).toMatchObject({
      method: 'POST',
      path: '/echo?a=%20b',
      body: 'grüße',
      headers: { 'user-agent': 'ToolBox/0.1 (+https://box.example.com)', 'x-own': '1', host: `127.0.0.1:${web.port}` },
    })
  })

  test('is reported with the host that sent it, even if it redirects to a dead host', async () => {
    const hosts: string[] = []
    const client = testOutbound({ onAnswer: (host) => hosts.push(host) })
    await client.request(`${web.origin}/to?url=http://127.0.0.1:1/`, { timeout, redirects: 5 })
    await client.request('http://127.0.0.1:1/', { timeout })
    expect(hosts).toEqual([`127.0.0.1:${web.port}`])
  })

  test('closes its connection immediately, even if its body never ends', async () => {
    const before = web.connections()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/endless')))
    expect(answers.every((answer) => answer.answered)).toBe(true)
    await expect.poll(() => web.connections()).toBeLessThanOrEqual(before)
  })

  test.each(['gzip', 'deflate', 'br', 'identity'])('with %s content is decoded', async (encoding) => {
    const answer = await ask(`/packed/${encoding}`, { maxBytes: 1_000 })
    expect(answer.answered && Buffer.from(answer.body).toString()).toBe('Hello, packed.')
  })

  test.each<[string, string, string | Uint8Array]>([
    ['deflate without a zlib header', 'deflate', deflateRawSync('Hello, packed.')],
    ['zstd, which the request does not accept', 'zstd', zstdCompressSync('Hello, packed.')],
    ['gzip without its trailer', 'gzip', gzipSync('Hello, packed.').subarray(0, -8)],
    ['gzip with trailing bytes', 'gzip', Buffer.concat([gzipSync('Hello, packed.'), Buffer.from('\n<!-- -->')])],
    ['gzip with a name', 'gzip', named(gzipSync('Hello, packed.'))],
    ['gzip twice', 'gzip, gzip', gzipSync(gzipSync('Hello, packed.'))],
    ['gzip once, labelled as twice', 'gzip, gzip', gzipSync('Hello, packed.')],
    ...['utf-8', 'none', 'binary', 'snappy', 'constructor', ''].map((name): [string, string, string] => [
      name,
      name,
      'Hello, packed.',
    ]),
  ])('is decoded as in browsers: %s', async (_what, encoding, body) => {
    web.on('/odd', { headers: { 'content-encoding': encoding }, body })
    const answer = await ask('/odd', { maxBytes: 1_000 })
    expect(answer.answered && Buffer.from(answer.body).toString()).toBe('Hello, packed.')
  })

  test('with status 304 or to a HEAD request has no body, whatever its headers announce', async () => {
    web.on('/none', { status: 304, headers: { 'content-encoding': 'gzip' } })
    expect(await ask('/none', { maxBytes: 10 })).toMatchObject({ answered: true, status: 304, body: new Uint8Array() })
    expect(await ask('/bytes/99', { maxBytes: 10, method: 'HEAD' })).toMatchObject({ body: new Uint8Array() })
  })

  const length = 'Content-Length: 8\r\n'
  test.each([
    ['one line that ends with LF alone', `X-A: b\n${length}`],
    ['LF alone everywhere', `X-A: b\r\n${length}`.replaceAll('\r', '')],
    ['a space before a colon', `X-A : b\r\n${length}`],
    ['a space within a name', `X A: b\r\n${length}`],
    ['a line without a colon', `Oops\r\n${length}`],
    ['a name of brackets', `X[a]: b\r\n${length}`],
    ['a folded line', `X-A: b\r\n  c\r\n${length}`],
    ['a control character', `Set-Cookie: a=\x01b\r\n${length}`],
    ['a NUL', `X-A: \0b\r\n${length}`],
    ['the same length twice', `${length}${length}`],
    ['a length that is a list', 'Content-Length: 8, 8\r\n'],
    ['40 kB of headers', `X-A: ${'a'.repeat(40_000)}\r\n${length}`],
    ['bytes that are not ASCII', `X-A: \xe9\xff\r\n${length}`],
  ])('with %s in its headers is accepted', async (_what, headers) => {
    for (const first of [
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.0 200\r\n',
      'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\n',
    ]) {
      web.on('/odd', (_, { socket }) => void socket?.end(Buffer.from(`${first}${headers}\r\nok ready`, 'latin1')))
      const answer = await ask('/odd', { maxBytes: 100 })
      expect(answer).toMatchObject({ answered: true, status: 200 })
      expect(answer.answered && Buffer.from(answer.body).toString()).toBe('ok ready')
    }
  })

  test('with both a length and chunked encoding is read in chunks', async () => {
    const both = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nok ready\r\n0\r\n\r\n'
    web.on('/odd', (_, { socket }) => void socket?.end(both))
    const answer = await ask('/odd', { maxBytes: 100 })
    expect(answer.answered && Buffer.from(answer.body).toString()).toBe('ok ready')
  })

  test('that redirects is followed despite malformed headers', async () => {
    const head = 'HTTP/1.1 302 Found\r\nX A: b\r\nLocation: /bytes/3\r\n\r\n'
    web.on('/odd', (_, { socket }) => void socket?.end(head))
    expect(await ask('/odd', { redirects: 1 })).toMatchObject({ status: 200, url: `${web.origin}/bytes/3` })
  })

  test('whose body breaks off keeps the received part if the caller accepts that', async () => {
    const partly = async (path: string, options = {}) => {
      const answer = await ask(path, { maxBytes: 1_000, partialBody: true, ...options })
      return answer.answered && [Buffer.from(answer.body.subarray(0, 14)).toString(), answer.brokenOff?.note]
    }
    const packed = gzipSync('Hello, packed.'.repeat(99))
    web.on('/broken-gzip', (_, { socket }) => {
      socket?.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`)
      socket?.end(packed.subarray(0, -20))
    })
    web.on('/bad-chunk', (_, { socket }) => {
      socket?.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nso far\r\nzz\r\n')
    })
    expect(await partly('/half')).toEqual(['half', 'connect: reset'])
    expect(await partly('/broken-gzip')).toEqual(['Hello, packed.', 'connect: reset'])
    expect(await partly('/bad-chunk')).toEqual(['so far', 'connect: reset'])
    expect(await partly('/endless')).toEqual(['x'.repeat(14), undefined])
    timeOutAfter(web, '/slow', 'HTTP/1.1 200 OK\r\n\r\nso far')
    expect(await partly('/slow')).toEqual(['so far', 'timeout after 60 s'])
  })

  test('may have a body up to the limit, but no longer', async () => {
    expect(await describeAnswer(ask('/bytes/1000', { maxBytes: 1_000 }))).toBe('answered 200')
    expect(await describeAnswer(ask('/bytes/1001', { maxBytes: 1_000 }))).toBe('http | body over 1000 bytes')
    expect(await describeAnswer(ask('/endless', { maxBytes: 1_000 }))).toBe('http | body over 1000 bytes')
  })

  test('that decompresses beyond the limit fails without filling the memory', async () => {
    const before = process.memoryUsage().rss
    const answers = Array.from({ length: 10 }, () =>
      describeAnswer(ask('/gzip-bomb', { maxBytes: 1_000_000, timeout: 60_000 })),
    )
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['http | body over 1000000 bytes']))
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
  })
})

test('Hundreds of visits leave no timer, no connection and no file behind', async () => {
  const client = testOutbound()
  const before = process.getActiveResourcesInfo().length
  const paths = ['/', '/reset', '/redirect/2', '/endless', '/garbage', '/bytes/9']
  const visits = Array.from({ length: 300 }, (_, index) =>
    client.request(web.origin + paths[index % paths.length], {
      timeout: 60_000,
      redirects: 3,
      maxBytes: (index % 2) * 100,
    }),
  )
  const answered = (await Promise.all(visits)).filter((answer) => answer.answered).length
  expect(answered).toBe(150)
  await expect.poll(() => web.connections()).toBe(0)
  await expect.poll(() => process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before + 2)
})
