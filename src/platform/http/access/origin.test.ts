import { expect, test } from 'vitest'
import { portOf, sendRequest } from '../../../../test/support/raw-http.ts'
import { byKey, callerWith, testServer } from '../../../../test/support/scenes/test-server.ts'
import { anonymous, open, signedIn } from './guard.ts'
import { sessionCookieName } from './origin.ts'

const session = 'toolbox-3000.session_token=abc.c2ln'

async function server(baseUrl = 'http://localhost:3000') {
  const instance = await testServer({
    config: { baseUrl, origins: [baseUrl] },
    identify: ({ headers }) => {
      if (headers.authorization === 'Bearer tbx_good') return callerWith({}, byKey)
      return headers.cookie?.includes('session_token=abc') ? callerWith({}) : undefined
    },
  })
  const { app } = instance
  app.get('/api/v1/things', open('read'), () => ({}))
  app.post('/api/v1/things', signedIn('write'), () => ({}))
  app.get('/api/v1/badge', anonymous(), () => ({}))
  app.post('/hooks/heroku/:token', anonymous(), () => ({}))
  app.get('/page', (_request, reply) => reply.type('text/html').send('<p>'))
  const cookie = sessionCookieName(baseUrl)
  app.post('/api/auth/sign-in/username', open('write'), (_request, reply) =>
    reply.header('set-cookie', `${cookie}=new.c2ln; Path=/; HttpOnly`).send({}),
  )
  app.post('/api/auth/sign-out', open('write'), (_request, reply) =>
    reply.header('set-cookie', `${cookie}=; Max-Age=0; Path=/`).send({}),
  )
  return app
}
type Server = Awaited<ReturnType<typeof server>>

async function tokenOf(app: Server, url: string, cookie = '') {
  const answer = await app.inject({ url, headers: { cookie } })
  return answer.cookies.find(({ name }) => name === 'XSRF-TOKEN')
}
const post = async (app: Server, headers: Record<string, string>, url = '/api/v1/things') =>
  (await app.inject({ method: 'POST', url, headers })).statusCode

test('sets a readable token bound to the session on pages and calls, but not on anonymous routes', async () => {
  const app = await server()
  const token = await tokenOf(app, '/api/v1/things', session)
  expect(token).toMatchObject({ path: '/', sameSite: 'Lax' })
  expect(token).not.toHaveProperty('httpOnly')
  expect(token).not.toHaveProperty('secure')
  expect((await tokenOf(app, '/page', session))?.value).toBe(token?.value)
  expect((await tokenOf(app, '/page', 'toolbox-3000.session_token=other.c2ln'))?.value).not.toBe(token?.value)
  expect((await tokenOf(app, '/page'))?.value).toBeTruthy()
  expect(await tokenOf(app, '/api/v1/badge', session)).toBeUndefined()
})

test('sets the token again only when it is missing or stale', async () => {
  const app = await server()
  const token = await tokenOf(app, '/page', session)
  expect(await tokenOf(app, '/page', `${session}; XSRF-TOKEN=${token?.value}`)).toBeUndefined()
  const ofPort = await app.inject({ url: '/page', headers: { cookie: `${session}; XSRF-TOKEN=${token?.value}` } })
  expect(ofPort.cookies).toMatchObject([{ name: 'XSRF-TOKEN-3000', value: token?.value }])
  expect((await tokenOf(app, '/page', `${session}; XSRF-TOKEN=stale`))?.value).toBe(token?.value)
})

test.each([
  ['http://localhost:3000', 'toolbox-3000', 'toolbox'],
  ['https://box.example:8443', '__Host-toolbox-8443', '__Host-toolbox'],
])('cookie names at %s include the port, and sessions from before continue', async (baseUrl, own, shared) => {
  const app = await server(baseUrl)
  const [ours, others] = ['abc.c2ln', 'other.c2ln']
  const tokenWith = async (cookie: string) => (await tokenOf(app, '/page', cookie))?.value
  const token = await tokenWith(`${own}.session_token=${ours}`)
  expect(await tokenWith(`a=b; ${shared}.session_token=${ours}`)).toBe(token)
  expect(await tokenWith(`${shared}.session_token=${others}; ${own}.session_token=${ours}`)).toBe(token)
  expect(await tokenWith(`toolbox-4000.session_token=${ours}`)).toBe(await tokenWith(''))
})

test("requires the session's token on unsafe calls", async () => {
  const app = await server()
  const token = (await tokenOf(app, '/page', session))!.value
  const visitor = (await tokenOf(app, '/page'))!.value
  expect(await post(app, { cookie: session, 'x-xsrf-token': token })).toBe(200)
  expect(await post(app, { cookie: session })).toBe(403)
  expect(await post(app, { cookie: session, 'x-xsrf-token': visitor })).toBe(403)
  expect(await post(app, {})).toBe(401)
})

test('requires no token with an API key, but does with a session and an invalid key', async () => {
  const app = await server()
  expect(await post(app, { authorization: 'Bearer tbx_good' })).toBe(200)
  expect(await post(app, { authorization: 'Bearer tbx_bad', cookie: session })).toBe(403)
})

test('sets the new token on the response that signs in or out, so that the next call works', async () => {
  const app = await server()
  const visitor = (await tokenOf(app, '/page'))!.value
  const answer = await app.inject({
    method: 'POST',
    url: '/api/auth/sign-in/username',
    headers: { cookie: `XSRF-TOKEN=${visitor}` },
  })
  const [signedInCookie, token] = answer.cookies
  expect([signedInCookie?.name, token?.name]).toEqual(['toolbox-3000.session_token', 'XSRF-TOKEN'])
  const later = (await tokenOf(app, '/page', 'toolbox-3000.session_token=new.c2ln'))!.value
  expect(token?.value).toBe(later)
  const out = await app.inject({
    method: 'POST',
    url: '/api/auth/sign-out',
    headers: { cookie: `XSRF-TOKEN=${later}` },
  })
  expect(out.cookies.at(-1)?.value).toBe(visitor)
})

test('marks its cookies as secure if the public address uses https', async () => {
  const app = await server('https://tools.example.org')
  const answer = await app.inject({ method: 'POST', url: '/api/auth/sign-in/username' })
  expect(answer.cookies.at(-1)).toMatchObject({ name: 'XSRF-TOKEN', secure: true })
  expect(answer.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
  const plain = await (await server()).inject({ method: 'POST', url: '/api/auth/sign-in/username' })
  expect(plain.headers).not.toHaveProperty('strict-transport-security')
})

test.each([
  [{ 'sec-fetch-site': 'cross-site' }, 403],
  [{ 'sec-fetch-site': 'same-site' }, 403],
  [{ 'sec-fetch-site': 'same-origin' }, 200],
  [{ 'sec-fetch-site': 'none' }, 200],
  [{ origin: 'https://evil.example' }, 403],
  [{ origin: 'null' }, 403],
  [{ origin: 'http://evil.example', host: 'evil.example' }, 403],
  [{ origin: 'http://localhost:3000' }, 200],
])('an unsafe call with %j gets a %i', async (headers, status) => {
  const app = await server()
  expect(await post(app, headers, '/api/auth/sign-out')).toBe(status)
})

test('allows other sites to link to it, call its hooks and show its badges', async () => {
  const app = await server()
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' }
  expect((await app.inject({ url: '/api/v1/things', headers })).statusCode).toBe(200)
  expect(await post(app, headers, '/hooks/heroku/x')).toBe(200)
  const badge = await app.inject({ url: '/api/v1/badge', headers })
  expect([badge.headers['cross-origin-resource-policy'], badge.headers['set-cookie']]).toEqual([undefined, undefined])
})

test.each(['/%61pi/v1/things', '/api/%761/things', 'http://any.host/api/v1/things'])(
  'checks a call to the URL %s like any other',
  async (url) => {
    const app = await server()
    const port = await portOf(app)
    const statusOf = async (headers: Record<string, string>) =>
      (await sendRequest(port, 'POST', url, { headers: { cookie: session, ...headers } })).status
    const token = (await tokenOf(app, '/page', session))!.value
    expect(await statusOf({})).toBe(403)
    expect(await statusOf({ 'x-xsrf-token': token, origin: 'https://evil.example' })).toBe(403)
    expect(await statusOf({ 'x-xsrf-token': token })).toBe(200)
  },
)
