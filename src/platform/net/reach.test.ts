import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type FakeWeb, fakeWeb } from '../../../test/support/fakes/fake-web.ts'
import { noteOf, systemError, visitor } from '../../../test/support/visitor.ts'
import type { OutboundSettings } from './client.ts'

let web: FakeWeb
beforeAll(async () => {
  web = await fakeWeb()
})
afterAll(() => web.close())

const timeout = 5_000

describe('The address that is connected to', () => {
  const named = (addresses: readonly string[], more: Partial<OutboundSettings> = {}) =>
    visitor({ resolve: () => Promise.resolve(addresses), ...more }).request(`http://app.test:${web.port}/echo`, {
      timeout,
    })

  test('is judged whatever name leads there, and the name stays in the request', async () => {
    expect(await noteOf(named(['127.0.0.1'], { allowPrivateCidrs: [] }))).toBe('dns | dns: no such host')
    expect(await noteOf(named(['127.0.0.1']))).toBe('answered 200')
    expect(web.visits.at(-1)?.headers.host).toBe(`app.test:${web.port}`)
  })

  test('is one that passed, when a name has others beside it', async () => {
    expect(await noteOf(named(['10.0.0.1', '169.254.169.254', '127.0.0.1']))).toBe('answered 200')
    expect(await noteOf(named(['10.0.0.1', '::1', 'fe80::1%lo']))).toBe('dns | dns: no such host')
  })

  test('is asked for once: a name that changes its mind between check and visit gains nothing', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    let asked = 0
    const resolve = () => Promise.resolve(answers[asked++] ?? [])
    expect(await noteOf(named([], { allowPrivateCidrs: ['127.0.0.1/32'], resolve }))).toBe('answered 200')
    expect(asked).toBe(1)
  })

  test('is the next one when the first does not take a connection', async () => {
    expect(await noteOf(named(['127.0.0.9', '127.0.0.1']))).toBe('answered 200')
  })

  test('is never found by asking once more: what a resolver gives must be an address', async () => {
    expect(await noteOf(named(['localhost']))).toBe('dns | dns: no such host')
    expect(await noteOf(named(['localhost'], { exempt: [`http://app.test:${web.port}`] }))).toBe(
      'dns | dns: no such host',
    )
    expect(await noteOf(named([]))).toBe('dns | dns: no such host')
  })

  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'app.localhost',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '127.1',
    '[::ffff:127.0.0.1]',
  ])('is loopback for %s: blocked, or visited where the operator allows it', async (host) => {
    const url = `http://${host}:${web.port}/`
    expect(await noteOf(visitor({ allowPrivateCidrs: [] }).request(url, { timeout }))).toBe(
      'blocked | blocked: private address',
    )
    expect(await noteOf(visitor().request(url, { timeout }))).toBe('answered 200')
  })

  test('may be anywhere for an origin of the operator, and for that origin alone', async () => {
    const client = visitor({ allowPrivateCidrs: [], exempt: [`${web.origin}/some/path`] })
    expect(await noteOf(client.request(`${web.origin}/`, { timeout }))).toBe('answered 200')
    expect(await noteOf(client.request(`http://127.0.0.1:${web.port + 1}/`, { timeout }))).toBe(
      'blocked | blocked: private address',
    )
  })

  test('may be anywhere for the origin that a request names, and in that request alone', async () => {
    const client = visitor({ allowPrivateCidrs: [] })
    const blocked = 'blocked | blocked: private address'
    expect(await noteOf(client.request(`${web.origin}/`, { timeout, exempt: web.origin }))).toBe('answered 200')
    expect(await noteOf(client.request(`${web.origin}/`, { timeout, exempt: 'http://127.0.0.1:1' }))).toBe(blocked)
    expect(await noteOf(client.request(`${web.origin}/`, { timeout }))).toBe(blocked)
  })

  test('may have a blocked port only in the ranges of the operator', async () => {
    expect(await noteOf(visitor().request('http://127.0.0.1:1/', { timeout }))).toBe('connect | connect: refused')
    expect(await noteOf(visitor().request('http://8.8.8.8:22/', { timeout }))).toBe('blocked | blocked: port 22')
  })
})

describe('A URL is refused', () => {
  const privately =
    'This address is private, and ToolBox only visits public ones. The operator of this server can allow it with ALLOW_PRIVATE_CIDRS.'
  const resolve = async (host: string) => {
    if (host === 'inside.test') return ['10.0.0.7']
    if (host === 'outside.test') return ['8.8.8.8']
    if (host === 'slow.test') return new Promise<never>(() => undefined)
    throw systemError('ENOTFOUND')
  }
  const client = visitor({ allowPrivateCidrs: [], resolve })

  test.each([
    ['http://192.168.1.1/', privately],
    ['http://localhost:3000/', privately],
    ['http://[::1]/', privately],
    ['http://outside.test:25/', 'Port 25 is not allowed.'],
    ['http://nowhere.test:25/', 'Port 25 is not allowed.'],
    ['ftp://outside.test/', 'Enter an http:// or https:// URL without a username and password.'],
    ['outside.test', 'Enter a full URL, such as https://app.example.com/health.'],
    ['https://outside.test/', undefined],
    ['https://nowhere.test/', undefined],
    ['https://inside.test/', undefined],
    ['http://inside.test:25/', 'Port 25 is not allowed.'],
  ])('%s: %s', async (url, why) => {
    expect(await client.refuse(url, 'ada')).toBe(why)
  })

  test('only after two seconds of asking, and then not yet', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const answer = vi.fn()
    const asked = client.refuse('https://slow.test/', 'ada').then(answer)
    await vi.advanceTimersByTimeAsync(1_999)
    expect(answer).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await asked
    expect(answer).toHaveBeenCalledWith(undefined)
  })
})
