import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeWeb, fakeWeb, rawDeflated } from '../../../test/support/fakes/fake-web.ts'
import { noteOf, visitor } from '../../../test/support/visitor.ts'

let web: FakeWeb
beforeAll(async () => {
  web = await fakeWeb()
})
afterAll(() => web.close())

const timeout = 60_000
const ask = (path: string, options = {}) => visitor().request(web.origin + path, { timeout, ...options })

describe('An answer', () => {
  test('has its status, lower-case headers and duration, and no body unless one was asked for', async () => {
    web.on('/headers', { status: 503, headers: { 'X-Big': 'A', 'Set-Cookie': 'a=1' }, body: 'No.', delay: 60 })
    const asked = performance.now()
    const answer = await ask('/headers')
    expect(answer).toMatchObject({ answered: true, status: 503, url: `${web.origin}/headers` })
    expect(answer).toMatchObject({ headers: { 'x-big': 'A', 'set-cookie': 'a=1' }, body: new Uint8Array() })
    expect(answer.duration).toBeGreaterThanOrEqual(55)
    expect(answer.duration).toBeLessThanOrEqual(Math.ceil(performance.now() - asked))
  })

  test('comes to an honest visitor who sends what was asked', async () => {
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

  test('is heard of by the host that gave it, on the way to another that is dead too', async () => {
    const heard: string[] = []
    const client = visitor({ onAnswer: (host) => heard.push(host) })
    await client.request(`${web.origin}/to?url=http://127.0.0.1:1/`, { timeout, redirects: 5 })
    await client.request('http://127.0.0.1:1/', { timeout })
    expect(heard).toEqual([`127.0.0.1:${web.port}`])
  })

  test('lets go of the connection at once, endless body or not', async () => {
    const before = web.connections()
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/endless')))
    expect(answers.every((answer) => answer.answered)).toBe(true)
    await expect.poll(() => web.connections()).toBeLessThanOrEqual(before)
  })

  test.each(['gzip', 'deflate', 'br', 'identity'])('of %s content is read as what it says', async (encoding) => {
    const answer = await ask(`/packed/${encoding}`, { maxBytes: 1_000 })
    expect(answer.answered && Buffer.from(answer.body).toString()).toBe('Hello, packed.')
  })

  test('of deflate content without a zlib header is read too', async () => {
    web.on('/raw', { headers: { 'content-encoding': 'deflate' }, body: rawDeflated('Bare.') })
    const answer = await ask('/raw', { maxBytes: 1_000 })
    expect(answer.answered && Buffer.from(answer.body).toString()).toBe('Bare.')
  })

  test('that has no content for its kind has none, whatever its headers promise', async () => {
    web.on('/none', { status: 304, headers: { 'content-encoding': 'gzip' } })
    expect(await ask('/none', { maxBytes: 10 })).toMatchObject({ answered: true, status: 304, body: new Uint8Array() })
    expect(await ask('/bytes/99', { maxBytes: 10, method: 'HEAD' })).toMatchObject({ body: new Uint8Array() })
  })

  test('may fill the limit and not pass it', async () => {
    expect(await noteOf(ask('/bytes/1000', { maxBytes: 1_000 }))).toBe('answered 200')
    expect(await noteOf(ask('/bytes/1001', { maxBytes: 1_000 }))).toBe('http | body over 1000 bytes')
    expect(await noteOf(ask('/endless', { maxBytes: 1_000 }))).toBe('http | body over 1000 bytes')
  })

  test('that unpacks to more than the limit stops there', async () => {
    const before = process.memoryUsage().rss
    const answers = Array.from({ length: 10 }, () =>
      noteOf(ask('/gzip-bomb', { maxBytes: 1_000_000, timeout: 60_000 })),
    )
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['http | body over 1000000 bytes']))
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
  })
})

test('Hundreds of visits leave no timer, no connection and no file behind', async () => {
  const client = visitor()
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
