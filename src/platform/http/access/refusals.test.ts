import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { portOf, sendRequest } from '../../../../test/support/raw-http.ts'
import { testServer } from '../../../../test/support/scenes/test-server.ts'
import { HttpError } from '../../../shared/http-error.ts'
import { fastPath } from '../connection/fast-path.ts'
import { open, signedIn } from './guard.ts'

/** The address that the documented fail2ban filter finds in a log line; undefined if the line doesn't match. */
function banned(line: string): string | undefined {
  const docs = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8')
  const failregex = /^failregex = (.+)$/m.exec(docs)?.[1] ?? ''
  const pattern = new RegExp(failregex.replace('<HOST>', '(?<host>[0-9a-fA-F.:]+)'))
  // fail2ban removes the time before matching, but only if it recognizes the format.
  expect(line).toMatch(/"time":\d{13},/)
  for (const entry of [line, line.replace(/"time":\d{13}/, '')]) {
    const host = pattern.exec(entry)?.groups?.host
    if (entry !== line) return host
    expect(host).toBe(pattern.exec(line)?.groups?.host)
  }
  return undefined
}

async function server(trustProxy: number | false = false) {
  const instance = await testServer({ config: { trustProxy } })
  const { app } = instance
  app.get('/api/v1/mine', signedIn('read'), () => ({}))
  app.get('/api/v1/busy', open('read'), () => {
    throw new HttpError(429, 'Too many.', { retryAfter: 1 })
  })
  fastPath(app, {
    method: 'POST',
    prefix: '/hooks/x/',
    part: 'token',
    bodyLimit: 10,
    schema: {},
    answer: async () => {
      throw new HttpError(401, 'Wrong signature.')
    },
  })
  fastPath(app, {
    method: 'GET',
    prefix: '/api/v1/analyticsbadge/',
    part: 'tag',
    schema: {},
    answer: async () => {
      throw new HttpError(429, 'Too many new tags.')
    },
  })
  const port = await portOf(app)
  const call = async (method: string, path: string, headers: Record<string, string> = {}) =>
    (await sendRequest(port, method, path, { headers })).status
  const refused = () => instance.lines.filter((line) => JSON.parse(line).msg === 'refused')
  return { call, refused }
}

test('logs each refusal in one line, by which the documented filter bans the address', async () => {
  const { refused, call } = await server()
  expect(await call('GET', '/api/v1/mine?code=secret')).toBe(401)
  expect(await call('GET', '/api/v1/busy')).toBe(429)
  expect(await call('POST', '/hooks/x/token')).toBe(401)
  expect(await call('GET', '/api/v1/analyticsbadge/many')).toBe(429)
  expect(await call('GET', '/nothing')).toBe(404)
  await expect.poll(() => refused().length).toBe(4)
  expect(refused().map((line) => [JSON.parse(line).path, banned(line)])).toEqual([
    ['/api/v1/mine', '127.0.0.1'],
    ['/api/v1/busy', '127.0.0.1'],
    // The address is Heroku's or GitHub's, through which all users' events and badges pass.
    ['/hooks/x/[hidden]', undefined],
    ['/api/v1/analyticsbadge/many', undefined],
  ])
})

test('logs a refusal for a missing right, but bans no address for it', async () => {
  const { refused, call } = await server()
  const bad = { 'sec-fetch-site': 'cross-site' }
  expect(await call('POST', '/api/auth/sign-out', bad)).toBe(403)
  await expect.poll(() => refused().length).toBe(1)
  expect(refused().map((line) => [JSON.parse(line).status, banned(line)])).toEqual([[403, undefined]])
})

test('a client cannot forge another address in the log line', async () => {
  const { refused, call } = await server(1)
  const forged = '","status":401,"address":"198.51.100.1","method":"GET","path":"'
  expect(await call('GET', `/api/v1/mine?${forged}`.replaceAll(' ', ''))).toBe(401)
  expect(await call('GET', '/api/v1/mine', { 'x-forwarded-for': '198.51.100.1, 192.0.2.7' })).toBe(401)
  const six = { 'x-forwarded-for': '198.51.100.1, [2001:db8::1]:4711' }
  expect(await call('GET', '/api/v1/mine', six)).toBe(401)
  expect(await call('POST', '/hooks/x/token', six)).toBe(401)
  await expect.poll(() => refused().length).toBe(4)
  expect(refused().slice(0, 3).map(banned)).toEqual(['127.0.0.1', '192.0.2.7', '2001:db8::1'])
  expect(JSON.parse(refused()[3]!).address).toBe('2001:db8::1')
})
