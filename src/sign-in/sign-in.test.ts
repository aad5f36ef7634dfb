import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { getMigrations } from 'better-auth/db/migration'
import { describe, expect, test, vi } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { browser, createPerson, password } from '../../test/support/people.ts'
import { closeAfterwards, toolbox } from '../../test/support/toolbox.ts'
import { minutes } from '../shared/time.ts'
import { Blocked, Inactive } from '../shared/user.ts'
import { cost } from './passwords/password.ts'

const wrong = { error: 'Wrong username or password.' }

describe.each(dialects)('signing in by username on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))
  for (const username of ['ada', 'bob', 'cleo', 'dan', 'eve', 'flo'])
    await createPerson(box.context, { name: username, username })

  test('Better Auth finds nothing to change in our tables', async () => {
    const { toBeCreated, toBeAdded, compileMigrations } = await getMigrations(box.auth.options)
    expect({ toBeCreated, toBeAdded }).toEqual({ toBeCreated: [], toBeAdded: [] })
    expect((await compileMigrations()).replace(/[;\s]/g, '')).toBe('')
  })

  test('opens a session whatever the case of the username, and never returns its token in the body', async () => {
    const screen = browser(box.app)
    const { status, body } = await screen.signIn('ADA')
    const cookie = screen.jar.get('toolbox-3000.session_token')
    expect(status).toBe(200)
    expect(body.user).toEqual({
      id: expect.any(String),
      name: 'ada',
      email: 'ada@example.com',
      emailVerified: true,
      status: 2,
      tags: [],
      roles: { Admin: 0, Tools: 1 },
      providers: [{ providerId: '003_Credentials', accountId: body.user.id, accountUsername: 'ada' }],
      credUsername: 'ada',
    })
    expect(cookie).toMatch(/^[\w-]{43}\./)
    expect(JSON.stringify(body)).not.toContain(cookie!.split('.')[0])
    expect((await screen.get('/api/v1/auth/session')).body).toEqual(body)
  })

  test('signing in and out also work with a trailing slash', async () => {
    const screen = browser(box.app)
    const body = { username: 'ada', password }
    expect((await screen.post('/api/auth/sign-in/username/', body)).status).toBe(200)
    expect((await screen.post('/api/auth/sign-out/')).status).toBe(200)
    expect((await screen.get('/api/v1/auth/session')).body).toEqual({ user: null })
  })

  test('ignores client addresses in request headers', async () => {
    const answer = await box.app.inject({
      method: 'POST',
      url: '/api/auth/sign-in/username',
      remoteAddress: '198.51.100.8',
      headers: { 'x-forwarded-for': '203.0.113.1', 'x-toolbox-ip': '203.0.113.2' },
      payload: { username: 'ada', password },
    })
    expect(answer.statusCode).toBe(200)
    const rows = await box.db.q.selectFrom('sessions').select('ip_address').execute()
    expect(rows.map((row) => row.ip_address)).toContain('198.51.100.8')
    expect(rows.map((row) => row.ip_address)).not.toContain('203.0.113.1')
    expect(rows.map((row) => row.ip_address)).not.toContain('203.0.113.2')
  })

  test('responds to unknown and impossible usernames as to a wrong password, after the same work', async () => {
    const passwordless = await createPerson(box.context)
    await box.db.q
      .updateTable('users')
      .set({ cred_username: `bare-${dialect}` })
      .where('id', '=', passwordless.id)
      .execute()
    const scrypt = vi.spyOn(crypto, 'scrypt')
    syncBuiltinESMExports()
    for (const name of ['bob', 'nobody-here', 'no such name!', `bare-${dialect}`]) {
      scrypt.mockClear()
      const { status, body } = await browser(box.app, '192.0.2.10').signIn(name, 'not the password')
      expect([status, body]).toEqual([401, wrong])
      // Hashing takes a hundred times as long as everything else, so a skipped hash would be noticeable.
      const derived = scrypt.mock.calls.map(([, , length, settings]) => ({ length, ...settings }))
      expect(derived).toEqual([{ length: 32, N: 2 ** cost.log2N, r: cost.r, p: cost.p, maxmem: expect.any(Number) }])
    }
    scrypt.mockRestore()
    syncBuiltinESMExports()
  })

  test('rejects a body that is nested too deeply with a 400', async () => {
    const deep = `${'['.repeat(7_900)}${']'.repeat(7_900)}`
    const part = `"id":"x","rawId":"x","type":"public-key","clientExtensionResults":{"a":${deep}}`
    const assertion = '{"clientDataJSON":"x","authenticatorData":"x","signature":"x"}'
    const { statusCode, json } = await box.app.inject({
      method: 'POST',
      url: '/api/auth/sign-in/passkey',
      headers: { 'content-type': 'application/json' },
      body: `{"response":{${part},"response":${assertion}}}`,
    })
    expect([statusCode, json().error]).toEqual([400, 'This is nested too deeply.'])
  })

  test('rejects a username with U+0000 with a 400, since PostgreSQL cannot look it up', async () => {
    const { status } = await browser(box.app).signIn('ada\u0000')
    expect(status).toBe(400)
  })

  test('names the missing fields', async () => {
    const { status, body } = await browser(box.app).post('/api/auth/sign-in/username', { username: ' ' })
    expect(status).toBe(400)
    expect(Object.keys(body.fields).sort()).toEqual(['password', 'username'])
  })

  test('explains a blocked or inactive account only after the right password, and opens no session', async () => {
    for (const [name, status, word] of [
      ['blocked', Blocked, 'blocked'],
      ['waiting', Inactive, "isn't active"],
    ] as const) {
      await createPerson(box.context, { name, username: name, status })
      const screen = browser(box.app, '192.0.2.60')
      expect((await screen.signIn(name, 'not the password')).body).toEqual(wrong)
      const refused = await screen.signIn(name)
      expect(refused.status).toBe(403)
      expect(refused.body.error).toContain(word)
      expect(screen.jar.has('toolbox-3000.session_token')).toBe(false)
    }
  })

  test('blocks only that username from that address after five failures', async () => {
    const screen = browser(box.app, '192.0.2.70')
    for (let n = 0; n < 5; n++) expect((await screen.signIn('Cleo', 'not the password')).status).toBe(401)
    const refused = await screen.signIn('cleo')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBe(15 * 60)
    expect((await browser(box.app, '192.0.2.71').signIn('cleo')).status).toBe(200)
    expect((await screen.signIn('dan')).status).toBe(200)
    box.pass(minutes(15))
    expect((await screen.signIn('cleo')).status).toBe(200)
  })

  test('counts only failures, and a success resets the count', async () => {
    const screen = browser(box.app, '192.0.2.80')
    for (let n = 0; n < 4; n++) await screen.signIn('dan', 'not the password')
    expect((await screen.signIn('dan')).status).toBe(200)
    for (let n = 0; n < 2; n++) expect((await screen.signIn('dan', 'not the password')).status).toBe(401)
  })

  test('checks only five of 50 concurrent wrong passwords', async () => {
    const tries = Array.from({ length: 50 }, () => browser(box.app, '192.0.2.90').signIn('eve', 'not the password'))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(45)
  })

  test('accepts all concurrent right passwords', async () => {
    const tries = Array.from({ length: 8 }, () => browser(box.app, '192.0.2.92').signIn('flo'))
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(Array(8).fill(200))
  })

  test('never adopts a session token that was sent before signing in', async () => {
    const screen = browser(box.app, '192.0.2.93', { 'toolbox-3000.session_token': 'chosen.bm90IHNpZ25lZA==' })
    expect((await screen.signIn('flo')).status).toBe(200)
    expect(screen.jar.get('toolbox-3000.session_token')).not.toContain('chosen')
    const rows = await box.db.q.selectFrom('sessions').select('id').where('token', '=', 'chosen').execute()
    expect(rows).toEqual([])
  })

  test('signing out ends the session and deletes the cookie', async () => {
    const screen = browser(box.app, '192.0.2.94')
    await screen.signIn('flo')
    const cookies = Object.fromEntries(screen.jar)
    expect((await screen.post('/api/auth/sign-out')).status).toBe(200)
    expect(screen.jar.has('toolbox-3000.session_token')).toBe(false)
    expect((await browser(box.app, '192.0.2.94', cookies).get('/api/v1/auth/session')).body).toEqual({ user: null })
  })

  test('signing out is never rate-limited', async () => {
    const screen = browser(box.app, '192.0.2.95')
    for (let n = 0; n < 150; n++) expect((await screen.post('/api/auth/sign-out', {})).status).toBe(200)
  })

  test('exposes no other endpoints of Better Auth', async () => {
    const screen = browser(box.app)
    for (const path of ['sign-up/email', 'sign-in/email', 'update-user', 'change-password', 'is-username-available'])
      expect((await screen.post(`/api/auth/${path}`, { username: 'ada' })).status).toBe(404)
    for (const path of ['get-session', 'list-sessions', 'ok', 'error'])
      expect((await screen.get(`/api/auth/${path}`)).status).toBe(404)
  })

  test('offers no provider until one is configured', async () => {
    const screen = browser(box.app)
    expect((await screen.get('/api/v1/auth/providers')).body).toEqual([])
    const { status, body } = await screen.post('/api/auth/sign-in/social', { provider: '001_Discord' })
    expect([status, Object.keys(body.fields)]).toEqual([400, ['provider']])
  })

  test('rejects a sign-in from another site', async () => {
    const answer = await box.app.inject({
      method: 'POST',
      url: '/api/auth/sign-in/username',
      headers: { origin: 'https://evil.example' },
      payload: { username: 'ada', password },
    })
    expect(answer.statusCode).toBe(403)
  })
})
