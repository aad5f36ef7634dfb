import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { fakeWeb } from '../../../test/support/fakes/fake-web.ts'
import { describeAnswer, outcomeOf, systemError, testOutbound } from '../../../test/support/outbound-client.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { seconds } from '../../shared/time.ts'
import type { OutboundSettings } from './client.ts'
import { machineResolve, type Resolve } from './names.ts'
import { unknownNames } from './reach.ts'

const web = await fakeWeb()
afterAll(() => web.close())

/** Starts a request, advances a fake clock by `ms`, and returns the outcome or 'pending'. */
async function afterTime<T>(ms: number, request: () => Promise<T>): Promise<T | 'pending'> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  try {
    const answer = request()
    await vi.advanceTimersByTimeAsync(ms)
    return await Promise.race([answer, 'pending' as const])
  } finally {
    vi.useRealTimers()
  }
}
const unknown = 'dns | dns: no such host'
const blocked = 'blocked | blocked: private address'
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const never = () => new Promise<never>(() => undefined)

describe('Timing does not reveal whether a name is unknown or in our own network:', () => {
  beforeAll(() => {
    unknownNames.reportedEvery = seconds(3)
  })
  const notFound = (ms: number) => async () => {
    await later(ms)
    throw systemError('ENOTFOUND')
  }
  const found = (ms: number) => async () => {
    await later(ms)
    return ['10.0.0.7']
  }
  const machine = (ask: () => Promise<string[]>, lookUp: () => Promise<string[]> = never, hostsFile = '/nowhere') =>
    machineResolve(() => Date.now(), { ask, lookUp, hostsFile })
  const hostsFile = join(temporaryFolder(), 'hosts')
  writeFileSync(hostsFile, '10.0.0.7 app.test\n')
  const askBy = (resolve: Resolve) =>
    testOutbound({ allowPrivateCidrs: [], elapsed: () => Date.now(), resolve }).request('http://app.test/', {
      timeout: 60_000,
    })

  test.each<[string, Resolve, number]>([
    ['unknown immediately', notFound(0), 3_000],
    ['ours immediately', found(0), 3_000],
    ['ours a moment later', found(2_400), 3_000],
    ['ours in the hosts file', machine(never, never, hostsFile), 3_000],
    ['unknown to name servers, then no system response', machine(notFound(20)), 3_000],
    ['unknown to name servers at the last moment', machine(notFound(2_950)), 3_000],
    ['unknown to name servers and to the system', machine(notFound(20), notFound(700)), 3_000],
    [
      'unknown to name servers, then a system failure',
      machine(notFound(20), () => Promise.reject(systemError('EAI_AGAIN'))),
      3_000,
    ],
    ['unknown to name servers, but ours in the system', machine(notFound(20), found(1_200)), 3_000],
    ['unknown late', notFound(4_000), 6_000],
    ['ours late', found(5_900), 6_000],
    ['unknown to name servers late', machine(notFound(3_100)), 6_000],
  ])('%s', async (_what, resolve, at) => {
    expect(await afterTime(at - 1, () => askBy(resolve))).toBe('pending')
    const answer = await afterTime(at + 5, () => askBy(resolve))
    expect(answer).toEqual({ answered: false, failure: 'dns', note: 'dns: no such host', duration: at })
  })

  test("only the operator's hosts are reported immediately", async () => {
    const ours = { exempt: ['http://app.test'], resolve: async () => [] }
    expect(await outcomeOf('http://app.test/', ours)).toBe(unknown)
  })

  test('no name is looked up when its URL is saved', async () => {
    const resolve = vi.fn(found(0))
    expect(
      await testOutbound({ allowPrivateCidrs: [], resolve }).refusalReason('https://app.test/', 'ada'),
    ).toBeUndefined()
    expect(resolve).not.toHaveBeenCalled()
  })
})

describe('The address that is connected to', () => {
  const named = (addresses: readonly string[], more: Partial<OutboundSettings> = {}) =>
    outcomeOf(`http://app.test:${web.port}/echo`, { resolve: () => Promise.resolve(addresses), ...more })
  const unknownOf = (...options: Parameters<typeof named>) => afterTime(3_000, () => named(...options))

  test('is checked whatever name resolves to it, and the request keeps the name', async () => {
    expect(await unknownOf(['127.0.0.1'], { allowPrivateCidrs: [] })).toBe(unknown)
    expect(await named(['127.0.0.1'])).toBe('answered 200')
    expect(web.visits.at(-1)?.headers.host).toBe(`app.test:${web.port}`)
  })

  test('is an allowed one, even if its name has forbidden ones too', async () => {
    expect(await named(['10.0.0.1', '169.254.169.254', '127.0.0.1'])).toBe('answered 200')
    expect(await unknownOf(['10.0.0.1', '::1', 'fe80::1%lo'])).toBe(unknown)
  })

  test('is resolved once, so a name cannot change it between check and connection', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2']]
    let lookups = 0
    const resolve = () => Promise.resolve(answers[lookups++] ?? [])
    expect(await named([], { allowPrivateCidrs: ['127.0.0.1/32'], resolve })).toBe('answered 200')
    expect(lookups).toBe(1)
  })

  test('is the next one when the first accepts no connection', async () => {
    expect(await named(['127.0.0.9', '127.0.0.1'])).toBe('answered 200')
  })

  test('is never resolved a second time: the resolver must return IP addresses', async () => {
    expect(await unknownOf(['localhost'])).toBe(unknown)
    expect(await named(['localhost'], { exempt: [`http://app.test:${web.port}`] })).toBe(unknown)
    expect(await unknownOf([])).toBe(unknown)
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
    '127.0.0.1.',
    '[::ffff:127.0.0.1]',
  ])('is loopback for %s: blocked, or visited where the operator allows it', async (host) => {
    const url = `http://${host}:${web.port}/`
    expect(await outcomeOf(url, { allowPrivateCidrs: [] })).toBe(blocked)
    expect(await outcomeOf(url)).toBe('answered 200')
  })

  test("may be private for the operator's origin, and for no other", async () => {
    const settings = { allowPrivateCidrs: [], exempt: [`${web.origin}/some/path`] }
    expect(await outcomeOf(`${web.origin}/`, settings)).toBe('answered 200')
    expect(await outcomeOf(`http://127.0.0.1:${web.port + 1}/`, settings)).toBe(blocked)
  })

  test('may be private for an origin that the request exempts, but not in other requests', async () => {
    const client = testOutbound({ allowPrivateCidrs: [] })
    const visit = (options = {}) => describeAnswer(client.request(`${web.origin}/`, { timeout: 5_000, ...options }))
    expect(await visit({ exempt: web.origin })).toBe('answered 200')
    expect(await visit({ exempt: 'http://127.0.0.1:1' })).toBe(blocked)
    expect(await visit()).toBe(blocked)
  })

  test("may have a blocked port only in the operator's ranges", async () => {
    expect(await outcomeOf('http://127.0.0.1:1/')).toBe('connect | connect: refused')
    expect(await outcomeOf('http://8.8.8.8:22/')).toBe('blocked | blocked: port 22')
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
  const client = testOutbound({ allowPrivateCidrs: [], resolve })

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
    expect(await afterTime(2_000, () => client.refusalReason(url, 'ada'))).toBe(why)
  })

  test.each(['slow', 'inside', 'nowhere'])('for its port only after the two-second lookup of %s.test', async (name) => {
    const ask = () => client.refusalReason(`https://${name}.test:25/`, 'ada')
    expect(await afterTime(1_999, ask)).toBe('pending')
    expect(await afterTime(2_000, ask)).toBe('Port 25 is not allowed.')
  })
})
