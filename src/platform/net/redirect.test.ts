import { afterAll, describe, expect, test } from 'vitest'
import { fakeWeb } from '../../../test/support/fakes/fake-web.ts'
import { describeAnswer, testOutbound } from '../../../test/support/outbound-client.ts'
import { hours } from '../../shared/time.ts'
import { cookieJar, redirectOf } from './client.ts'

const web = await fakeWeb()
afterAll(() => web.close())

const timeout = 60_000
const ask = (path: string, options = {}) => testOutbound().request(web.origin + path, { timeout, ...options })

describe('A redirect', () => {
  test('is returned itself unless the caller requests following', async () => {
    expect(await ask('/redirect/1')).toMatchObject({ status: 302, headers: { location: '/redirect/0' } })
  })

  test('is followed to its end, up to the requested number of redirects', async () => {
    expect(await ask('/redirect/5', { redirects: 5 })).toMatchObject({ status: 200, url: `${web.origin}/redirect/0` })
    expect(await describeAnswer(ask('/redirect/6', { redirects: 5 }))).toBe('http | too many redirects')
    expect(await describeAnswer(ask('/loop', { redirects: 5 }))).toBe('http | too many redirects')
  })

  test.each([
    ['http://127.0.0.2/', 'blocked | blocked: private address'],
    ['http://169.254.169.254/latest/meta-data', 'blocked | blocked: private address'],
    ['http://[::ffff:7f00:2]/', 'blocked | blocked: private address'],
    ['http://2130706434/', 'blocked | blocked: private address'],
    ['http://localhost/', 'blocked | blocked: private address'],
    ['http://8.8.8.8:25/', 'blocked | blocked: port 25'],
    ['ftp://8.8.8.8/', 'blocked | blocked: scheme ftp'],
    ['javascript:alert(1)', 'blocked | blocked: scheme javascript'],
    ['http://user:word@8.8.8.8/', 'blocked | blocked: username in the URL'],
    ['http://[half/', 'http | http: malformed answer'],
  ])('to %s is %s', async (to, note) => {
    const client = testOutbound({ allowPrivateCidrs: [], exempt: [web.origin] })
    const answer = client.request(`${web.origin}/to?url=${encodeURIComponent(to)}`, { timeout, redirects: 5 })
    expect(await describeAnswer(answer)).toBe(note)
  })

  test.each([
    ['/caf\xc3\xa9/\xd0\xbf', '/caf%C3%A9/%D0%BF'],
    ['/caf\xe9?a=\xfc', '/caf%E9?a=%FC'],
    ['//\xd0\xbf\xd1\x80.test/', 'http://xn--o1ac.test/'],
  ])('with raw bytes in its location is followed as in browsers', async (location, path) => {
    const head = `HTTP/1.1 302 Found\r\nLocation: ${location}\r\n\r\n`
    web.on('/raw', (_, { socket }) => void socket?.end(Buffer.from(head, 'latin1')))
    expect(redirectOf(302, location, new URL(web.origin))?.toString()).toBe(new URL(path, web.origin).href)
    await ask('/raw', { redirects: 1 })
    if (path.startsWith('/')) expect(web.visits.at(-1)?.path).toBe(path)
  })

  test.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [303, 'HEAD', 'HEAD', ''],
    [307, 'POST', 'POST', 'text'],
    [308, 'PUT', 'PUT', 'text'],
  ])('with status %i after %s is followed with %s', async (status, method, then, body) => {
    const headers = { Authorization: 'secret', 'Content-Type': 'text/plain' }
    const sent = method === 'HEAD' ? {} : { body: 'text' }
    await ask(`/to?status=${status}&url=/echo`, { method, headers, ...sent, redirects: 1 })
    const visit = web.visits.at(-1)
    expect(visit).toMatchObject({ method: then, path: '/echo', body, headers: { authorization: 'secret' } })
    expect('content-type' in (visit?.headers ?? {})).toBe(then === method)
  })

  test('to another origin sends no secret and no body', async () => {
    const other = await fakeWeb()
    const headers = { Authorization: 'secret', Cookie: 'a=1', 'X-Api-Key': 'k', Accept: 'text/html' }
    const to = encodeURIComponent(`${other.origin}/echo`)
    await ask(`/to?status=307&url=${to}`, { method: 'POST', headers, body: 'private', redirects: 1 })
    await other.close()
    const visit = other.visits.at(-1)
    expect(visit).toMatchObject({
      method: 'POST',
      body: '',
      headers: { accept: 'text/html', host: new URL(other.origin).host },
    })
    expect(Object.keys(visit?.headers ?? {}).filter((name) => /auth|cookie|key|type/.test(name))).toEqual([])
  })

  test.each([
    [
      'well-formed head',
      'HTTP/1.1 302 Found\r\nSet-Cookie: seen=1; Path=/\r\nSet-Cookie: b\r\nLocation: /gate\r\n\r\n',
    ],
    [
      'head that the parser refuses',
      'HTTP/1.1 302 Found\r\nX[a]: b\r\nSet-Cookie: seen=1\r\nset-cookie:b\r\nLocation: /gate\r\n\r\n',
    ],
  ])('to itself ends once the cookie it sets is sent back: %s', async (_how, head) => {
    web.on('/gate', ({ headers }, response) =>
      headers.cookie === 'seen=1; b' ? void response.end() : void response.socket?.end(head),
    )
    for (let visit = 0; visit < 2; visit += 1)
      expect(await ask('/gate', { redirects: 5 })).toMatchObject({ status: 200 })
    expect(web.visits.filter(({ path }) => path === '/gate').map(({ headers }) => headers.cookie)).toEqual([
      undefined,
      'seen=1; b',
      undefined,
      'seen=1; b',
    ])
    web.visits.length = 0
  })
})

describe('A cookie', () => {
  const at = Date.parse('2026-11-21T12:00:00Z')

  test('that the server expires with a recent date is not sent again', async () => {
    const cookies = ['n=v', `n=; Expires=${new Date(at - hours(1)).toUTCString()}`]
    web.on('/leave', (_, response) => {
      const cookie = cookies.shift()
      response.writeHead(cookie ? 302 : 200, cookie ? { 'set-cookie': cookie, location: '/leave' } : {}).end()
    })
    const client = testOutbound({ elapsed: () => performance.now(), now: () => at })
    await client.request(`${web.origin}/leave`, { timeout, redirects: 5 })
    const visits = web.visits.filter(({ path }) => path === '/leave')
    expect(visits.map(({ headers }) => headers.cookie)).toEqual([undefined, 'n=v', undefined])
  })

  test.each([
    ['https://a.test/x/y', 'n=v', 'https://a.test/x/z', true],
    ['https://a.test/x/y', 'n=v', 'https://a.test/xy', false],
    ['https://a.test/x/y', 'n=v; Path=/', 'https://a.test/', true],
    ['https://a.test/x/y', 'n=v; path=/x/y/', 'https://a.test/x/y', false],
    ['https://a.test/', 'n=v', 'https://b.a.test/', false],
    ['https://a.test/', 'n=v', 'http://a.test:81/', true],
    ['https://b.a.test/', 'n=v; Domain=.A.test', 'https://c.a.test/', true],
    ['https://b.a.test/', 'n=v; Domain=a.test', 'https://nota.test/', false],
    ['https://a.test/', 'n=v; Domain=b.a.test', 'https://b.a.test/', false],
    ['https://a.test/', 'n=v; Domain=test', 'https://a.test/', false],
    ['http://127.0.0.1/', 'n=v; Domain=0.0.1', 'http://127.0.0.1/', false],
    ['http://127.0.0.1/', 'n=v; Domain=127.0.0.1', 'http://127.0.0.1/', true],
    ['https://a.test/', 'n=v; Secure', 'http://a.test/', false],
    ['http://a.test/', 'n=v; Secure', 'https://a.test/', false],
    ['https://a.test/', 'n=v; Max-Age=0', 'https://a.test/', false],
    ['https://a.test/', 'n=v; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'https://a.test/', false],
    ['https://a.test/', 'n=v; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=9', 'https://a.test/', true],
    ['https://a.test/', 'n=\x01', 'https://a.test/', false],
    ['https://a.test/', '; Path=/', 'https://a.test/', false],
  ])('from %s, %j, is sent to %s: %s', (from, line, to, goes) => {
    const jar = cookieJar(() => at)
    jar.keep(new URL(from), [line])
    expect(jar.headerFor(new URL(to)) !== undefined).toBe(goes)
  })

  test('is replaced and deleted by its name, and at most fifty are kept', () => {
    const jar = cookieJar(() => at)
    const url = new URL('https://a.test/')
    jar.keep(url, ['a=1', 'b=2', 'a=3=4'])
    expect(jar.headerFor(url)).toBe('a=3=4; b=2')
    jar.keep(url, ['a=; Max-Age=-1', `b=${'b'.repeat(4_095)}`])
    expect(jar.headerFor(url)).toBe('b=2')
    jar.keep(
      url,
      Array.from({ length: 99 }, (_, index) => `n${index}=`),
    )
    expect(jar.headerFor(url)?.split('; ')).toHaveLength(50)
  })
})
