import { afterAll, describe, expect, test } from 'vitest'
import { fakeWeb } from '../../../test/support/fakes/fake-web.ts'
import { describeAnswer, outcomeOf, systemError, testOutbound } from '../../../test/support/outbound-client.ts'
import { connectFailure, httpFailure, tlsFailure } from './failure.ts'

const web = await fakeWeb()
afterAll(() => web.close())

const timeout = 60_000
const ask = (path: string, options = {}) => outcomeOf(web.origin + path, {}, options)

describe('A failure names its cause:', () => {
  test.each([
    ['/hang', 'timeout | timeout after 0.2 s'],
    ['/slow-headers', 'timeout | timeout after 0.2 s'],
    ['/reset', 'connect | connect: reset'],
    ['/close', 'connect | connect: reset'],
    ['/garbage', 'http | http: malformed answer'],
    ['/endless-headers', 'http | http: headers too large'],
    ['/endless-hints', 'http | http: malformed answer'],
    ['/switch', 'http | http: malformed answer'],
  ])('%s is %s', async (path, note) => {
    const before = web.connections()
    expect(await ask(path, note.startsWith('timeout') ? { timeout: 200 } : {})).toBe(note)
    await expect.poll(() => web.connections()).toBeLessThanOrEqual(before)
  })

  test('a body that breaks off or is damaged', async () => {
    web.on('/damaged', { headers: { 'content-encoding': 'gzip' }, body: 'not gzip at all' })
    web.on('/damaged-br', { headers: { 'content-encoding': 'br' }, body: Buffer.alloc(64, 255) })
    expect(await ask('/half', { maxBytes: 1_000 })).toBe('connect | connect: reset')
    expect(await ask('/damaged', { maxBytes: 1_000 })).toBe('http | http: malformed answer')
    expect(await ask('/damaged-br', { maxBytes: 1_000 })).toBe('http | http: malformed answer')
  })

  test('no server listens on the port', async () => {
    const closed = await fakeWeb()
    await closed.close()
    expect(await outcomeOf(closed.origin)).toBe('connect | connect: refused')
  })

  test.each([
    ['ENOTFOUND', 'dns | dns: no such host'],
    ['ENODATA', 'dns | dns: no such host'],
    ['ETIMEOUT', 'dns | dns: no answer'],
    ['ESERVFAIL', 'dns | dns: the name server failed'],
    ['EAI_FAIL', 'dns | dns: the name server failed'],
    ['EOF', 'dns | dns: the name server failed'],
    ['ECONNREFUSED', 'internal | internal: ECONNREFUSED'],
    ['EMFILE', 'internal | internal: EMFILE'],
    ['ENOMEM', 'internal | internal: ENOMEM'],
  ])('a resolver that fails with %s', async (code, note) => {
    const resolve = () => Promise.reject(systemError(code))
    expect(await outcomeOf('http://app.test/', { resolve })).toBe(note)
  })

  test('a resolver that never answers ends in a timeout', async () => {
    const resolve = () => new Promise<never>(() => undefined)
    expect(await outcomeOf('http://app.test/', { resolve }, { timeout: 100 })).toBe('timeout | timeout after 0.1 s')
  })

  test("our own error is not reported as the target's", async () => {
    expect(await ask('/', { headers: { 'bad name': 'x' } })).toBe('internal | internal: ERR_INVALID_HTTP_TOKEN')
    expect(await outcomeOf('no address')).toMatch(/^internal \| /)
    const resolve = () => {
      throw new TypeError('made for the test')
    }
    expect(await outcomeOf('http://app.test/', { resolve })).toBe('internal | internal: TypeError')
  })

  test('a request that is stopped because the client closes', async () => {
    const client = testOutbound()
    const other = describeAnswer(client.request(`${web.origin}/hang`, { timeout }))
    await client.close()
    expect(await other).toBe('internal | internal: stopped')
    expect(await describeAnswer(client.request(web.origin, { timeout }))).toBe('internal | internal: stopped')
  })
})

test.each([
  [tlsFailure, 'EE_KEY_TOO_SMALL', 'tls: handshake failed'],
  [tlsFailure, 'ERR_SSL_WRONG_VERSION_NUMBER', 'tls: handshake failed'],
  [tlsFailure, 'CERT_HAS_EXPIRED', 'tls: certificate expired'],
  [tlsFailure, 'EMFILE', 'internal: EMFILE'],
  [connectFailure, 'EACCES', 'connect: unreachable'],
  [connectFailure, 'EADDRNOTAVAIL', 'connect: unreachable'],
  [connectFailure, 'ENOBUFS', 'internal: ENOBUFS'],
  [httpFailure, 'ERR_SSL_BAD_DECRYPT', 'tls: handshake failed'],
  [httpFailure, 'HPE_OF_TOMORROW', 'http: malformed answer'],
  [httpFailure, 'ERR__ERROR_FORMAT_CL_SPACE', 'http: malformed answer'],
  [httpFailure, 'Z_MEM_ERROR', 'internal: Z_MEM_ERROR'],
])('%o turns %s into "%s"', (failure, code, note) => {
  expect(failure(systemError(code)).note).toBe(note)
})
