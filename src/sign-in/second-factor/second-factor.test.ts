import { describe, expect, test, vi } from 'vitest'
import { totpCode, turnOnApp } from '../../../test/support/authenticator.ts'
import { dialects, racingDialects } from '../../../test/support/database/databases.ts'
import { browser, createSignedInPerson, password } from '../../../test/support/people.ts'
import { closeAfterwards, type Toolbox, toolbox } from '../../../test/support/toolbox.ts'
import { minutes, seconds } from '../../shared/time.ts'
import { Blocked } from '../../shared/user.ts'

const path = '/api/auth/two-factor'
const fresh = 'eleven purple violins'

let count = 0
const withAppIn = (box: Toolbox) => async () => {
  const person = await createSignedInPerson(box, { username: `person-${count++}` })
  const app = await turnOnApp(box, person.screen)
  box.pass(seconds(30))
  return { ...person, username: person.username ?? '', ...app }
}

describe.each(dialects)('two-step sign-in on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))
  const withApp = withAppIn(box)
  const whoIs = async (screen: ReturnType<typeof browser>) =>
    (await screen.get('/api/v1/auth/session')).body.user?.id ?? null
  const sessions = async (userId: string) =>
    (await box.db.q.selectFrom('sessions').select('id').where('user_id', '=', userId).execute()).length
  const logIns = async (id: string) =>
    (await box.db.q.selectFrom('users').select('log_in_count').where('id', '=', id).executeTakeFirstOrThrow())
      .log_in_count
  const wrongFor = (code: string) => (code === '000000' ? '000001' : '000000')

  test('takes effect after the first code, returns recovery codes once, and encrypts what it stores', async () => {
    const { screen, id, username } = await createSignedInPerson(box, { username: `first-${dialect}`.toLowerCase() })
    const own = async () => (await screen.get('/api/v1/user/second-factor')).body
    expect(await own()).toEqual({ app: null, required: false, passkeys: [] })
    expect((await screen.post(`${path}/enable`, { password: 'wrong' })).body.fields).toHaveProperty('password')
    const { body } = await screen.post(`${path}/enable`, { password })
    expect(body.totpURI).toContain(`secret=${body.key}`)
    expect(body.backupCodes).toHaveLength(10)
    expect(await own()).toMatchObject({ app: null })
    expect((await browser(box.app).signIn(username ?? '')).body.user.id).toBe(id)
    const wrong = await screen.post(`${path}/verify-totp`, { code: wrongFor(totpCode(body.totpURI, box.now())) })
    expect([wrong.status, Object.keys(wrong.body.fields)]).toEqual([400, ['code']])
    expect((await screen.post(`${path}/verify-totp`, { code: totpCode(body.totpURI, box.now()) })).body.user.id).toBe(
      id,
    )
    expect(await own()).toEqual({ app: { since: box.now(), codesLeft: 10 }, required: false, passkeys: [] })
    expect((await browser(box.app).signIn(username ?? '')).body).toEqual({
      twoFactorRedirect: true,
      twoFactorMethods: ['totp'],
    })
    const row = await box.db.q.selectFrom('second_factor').selectAll().where('user_id', '=', id).executeTakeFirst()
    for (const secret of [body.key, body.backupCodes[0]]) expect(JSON.stringify(row)).not.toContain(secret)
    const audit = await box.db.q.selectFrom('audit').select('action').where('target_id', '=', id).execute()
    expect(audit).toEqual([{ action: 'factor.on' }])
  })

  test('can be turned on in a browser where another sign-in was abandoned at its second step', async () => {
    const other = await withApp()
    const { screen, id } = await createSignedInPerson(box, { username: `beside-${dialect}`.toLowerCase() })
    expect((await screen.signIn(other.username)).body).toMatchObject({ twoFactorRedirect: true })
    const { body } = await screen.post(`${path}/enable`, { password })
    const confirmed = await screen.post(`${path}/verify-totp`, { code: totpCode(body.totpURI, box.now()) })
    expect(confirmed).toMatchObject({ status: 200, body: { user: { id } } })
  })

  test('opens a session only with the code, and counts one sign-in', async () => {
    const { id, username, code } = await withApp()
    const screen = browser(box.app)
    const before = [await sessions(id), await logIns(id)]
    const answer = await screen.signIn(username)
    expect(answer.status).toBe(200)
    expect([answer.headers['set-cookie']].flat().join()).not.toContain('session_token')
    expect([await sessions(id), await logIns(id)]).toEqual(before)
    expect(await whoIs(screen)).toBeNull()
    expect((await screen.get('/api/v1/auth/second-step')).body).toEqual({ methods: ['totp'] })
    const done = await screen.post(`${path}/verify-totp`, { code: code() })
    expect([done.status, done.body.user.id]).toEqual([200, id])
    expect(JSON.stringify(done.body)).not.toContain('token')
    expect(await whoIs(screen)).toBe(id)
    expect([await sessions(id), await logIns(id)]).toEqual(before.map((n) => n + 1))
    expect((await screen.get('/api/v1/auth/second-step')).body).toEqual({ methods: [] })
    const started = box.db.q.selectFrom('audit').select('changes').where('action', '=', 'session.start')
    const entered = await started.where('actor_id', '=', id).execute()
    expect(entered.map(({ changes }) => JSON.parse(changes))).toEqual([
      [{ field: 'factor', from: null, to: 'app code' }],
    ])
    const created = await screen.post('/api/v1/user/apikeys', { name: 'key', scopes: ['read'], expiresAt: null })
    expect(created.status).toBe(201)
  })

  test('ends the session that it replaces only after the last step', async () => {
    const { id, username, code, screen, session } = await withApp()
    expect((await screen.signIn(username)).body.twoFactorRedirect).toBe(true)
    expect(await whoIs(screen)).toBe(id)
    expect((await screen.post(`${path}/verify-totp`, { code: code() })).status).toBe(200)
    expect(await whoIs(screen)).toBe(id)
    expect(await whoIs(browser(box.app, '192.0.2.1', session.cookie))).toBeNull()
  })

  test('accepts each recovery code only once', async () => {
    const { id, username, screen: own, recoveryCodes } = await withApp()
    const publish = vi.spyOn(box.context.events, 'publish')
    /** How many inbox events were published for the user. */
    const countInboxEvents = () =>
      publish.mock.calls.flat(2).filter(({ type, to }) => type === 'inbox' && 'userId' in to && to.userId === id).length
    const screen = browser(box.app)
    const enter = async () => {
      await screen.signIn(username)
      return (await screen.post(`${path}/verify-backup-code`, { code: recoveryCodes[0]!.toUpperCase() })).status
    }
    expect(await enter()).toBe(200)
    expect(await enter()).toBe(401)
    expect((await own.get('/api/v1/user/second-factor')).body.app.codesLeft).toBe(9)
    expect(countInboxEvents()).toBe(1)
    const { body } = await own.post(`${path}/generate-backup-codes`, { password })
    expect(countInboxEvents()).toBe(2)
    expect(body.backupCodes).toHaveLength(10)
    await screen.signIn(username)
    expect((await screen.post(`${path}/verify-backup-code`, { code: recoveryCodes[1]! })).status).toBe(401)
    expect((await screen.post(`${path}/verify-backup-code`, { code: body.backupCodes[1] })).status).toBe(200)
    const proof = { code: body.backupCodes[2] }
    for (const [url, code] of [
      ['/api/v1/auth/proof', proof],
      [`${path}/verify-backup-code`, { code: body.backupCodes[3] }],
    ] as const) {
      const before = countInboxEvents()
      expect((await own.post(url, code)).status).toBeLessThan(300)
      expect(countInboxEvents()).toBe(before + 1)
    }
    publish.mockRestore()
  })

  test('after five wrong codes from any address, accepts none for 15 minutes, except within a session', async () => {
    const { id, username, screen: own, code } = await withApp()
    const screens = [browser(box.app), browser(box.app, '198.51.100.7')]
    for (const screen of screens) await screen.signIn(username)
    const tries = [screens[0]!, screens[1]!, screens[0]!, screens[1]!]
    for (const screen of tries)
      expect((await screen.post(`${path}/verify-totp`, { code: wrongFor(code()) })).status).toBe(401)
    expect((await screens[1]!.post(`${path}/verify-backup-code`, { code: 'aaaaa-aaaaa' })).status).toBe(401)
    for (const screen of screens) {
      const { status, headers } = await screen.post(`${path}/verify-totp`, { code: code() })
      expect([status, headers['retry-after']]).toEqual([429, '900'])
    }
    expect((await own.post(`${path}/verify-totp`, { code: code() })).status).toBe(200)
    const failures = box.db.q.selectFrom('sign_in_failure').select(['network', 'wrong', 'code', 'limited'])
    expect(await failures.where('user_id', '=', id).orderBy('network').execute()).toEqual([
      { network: '192.0.2.0/24', wrong: 0, code: 2, limited: 1 },
      { network: '198.51.100.0/24', wrong: 0, code: 3, limited: 1 },
    ])
    box.pass(minutes(15))
    await screens[0]!.signIn(username)
    expect((await screens[0]!.post(`${path}/verify-totp`, { code: code() })).status).toBe(200)
  })

  test('rejects a request to trust the device, and malformed codes', async () => {
    const { username, code } = await withApp()
    const screen = browser(box.app)
    await screen.signIn(username)
    const trusting = await screen.post(`${path}/verify-totp`, { code: code(), trustDevice: true })
    expect([trusting.status, Object.keys(trusting.body.fields)]).toEqual([400, ['trustDevice']])
    expect((await screen.post(`${path}/verify-totp`, { code: 'abc' })).status).toBe(400)
    expect(
      (await screen.post(`${path}/verify-totp`, { code: `${code().slice(0, 3)} ${code().slice(3)}` })).status,
    ).toBe(200)
  })

  test('a pending sign-in ends after ten minutes, a password change, its use or a block of the user', async () => {
    const { id, username, screen: own, code } = await withApp()
    const screen = browser(box.app)
    const status = async () => (await screen.post(`${path}/verify-totp`, { code: code() })).status
    expect(await status()).toBe(401)
    await screen.signIn(username)
    box.pass(minutes(10))
    expect(await status()).toBe(401)
    await screen.signIn(username)
    await own.patch('/api/v1/user/password', { current: password, password: fresh })
    const before = await logIns(id)
    expect([await status(), await logIns(id)]).toEqual([401, before])
    expect(await whoIs(screen)).toBeNull()
    box.pass(seconds(30))
    await screen.signIn(username, fresh)
    const cookies = Object.fromEntries(screen.jar)
    expect(await status()).toBe(200)
    box.pass(seconds(30))
    const replayed = browser(box.app, '192.0.2.1', cookies)
    expect((await replayed.post(`${path}/verify-totp`, { code: code() })).status).toBe(401)
    await screen.post('/api/auth/sign-out', {})
    await screen.signIn(username, fresh)
    await box.db.q.updateTable('users').set({ status: Blocked }).where('id', '=', id).execute()
    box.pass(seconds(30))
    expect(await status()).toBe(403)
  })

  test('keeps the old app until a code of the new one is entered, and is turned off with the password', async () => {
    const { id, username, screen: own, code } = await withApp()
    const { body } = await own.post(`${path}/enable`, { password })
    const screen = browser(box.app)
    await screen.signIn(username)
    expect((await screen.post(`${path}/verify-totp`, { code: code() })).status).toBe(200)
    box.pass(seconds(30))
    expect((await own.post(`${path}/verify-totp`, { code: totpCode(body.totpURI, box.now()) })).status).toBe(200)
    box.pass(seconds(30))
    await screen.post('/api/auth/sign-out', {})
    await screen.signIn(username)
    expect((await screen.post(`${path}/verify-totp`, { code: code() })).status).toBe(401)
    expect((await own.post(`${path}/disable`, { password: 'wrong' })).status).toBe(400)
    expect((await own.post(`${path}/disable`, { password })).body).toEqual({ status: true })
    expect((await screen.signIn(username)).body.user.id).toBe(id)
    expect((await own.post(`${path}/disable`, { password })).status).toBe(409)
  })
})

describe.each(racingDialects)('the second step on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))
  const withApp = withAppIn(box)

  test('accepts each code only once, even from two browsers concurrently', async () => {
    const { username, code } = await withApp()
    const screens = [browser(box.app), browser(box.app, '192.0.2.9')]
    for (const screen of screens) await screen.signIn(username)
    const answers = await Promise.all(screens.map((screen) => screen.post(`${path}/verify-totp`, { code: code() })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    const later = browser(box.app)
    await later.signIn(username)
    expect((await later.post(`${path}/verify-totp`, { code: code() })).status).toBe(401)
    box.pass(seconds(30))
    expect((await later.post(`${path}/verify-totp`, { code: code() })).status).toBe(200)
  })
})
