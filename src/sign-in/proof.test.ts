import { describe, expect, test } from 'vitest'
import { turnOnApp } from '../../test/support/authenticator.ts'
import { dialects } from '../../test/support/database/databases.ts'
import { browser, createPerson, createSignedInPerson, password, startSession } from '../../test/support/people.ts'
import { boxWithProviders, returnFromProvider, startAtProvider } from '../../test/support/scenes/round-trip.ts'
import { closeAfterwards, toolbox } from '../../test/support/toolbox.ts'
import { minutes } from '../shared/time.ts'
import { refusalMessage } from './providers/refusal.ts'

type Screen = ReturnType<typeof browser>
const newKey = (screen: Screen) =>
  screen.post('/api/v1/user/apikeys', { name: 'key', scopes: ['read'], expiresAt: null })
const asks = { error: expect.any(String), reauthenticate: true }

describe.each(dialects)('a recent proof on %s', async (dialect) => {
  let count = 0
  const box = closeAfterwards(await toolbox(dialect))
  const someone = (roles = {}) =>
    createSignedInPerson(box, { username: `proof-${dialect}-${count++}`.toLowerCase(), roles })
  const prove = (screen: Screen, body: object) => screen.post('/api/v1/auth/proof', body)

  test('is a sign-in or proof in the same browser within the last ten minutes', async () => {
    const { screen, ...person } = await someone()
    const other = browser(box.app, '192.0.2.2', (await startSession(box.context, box.auth, person)).cookie)
    await other.get('/api/v1/auth/session')
    box.pass(minutes(10) - 1)
    expect((await newKey(screen)).status).toBe(201)
    box.pass(1)
    const refused = await newKey(screen)
    expect([refused.status, refused.body]).toEqual([403, asks])
    expect((await prove(screen, { password })).status).toBe(204)
    box.pass(minutes(10) - 1)
    expect((await newKey(screen)).status).toBe(201)
    expect((await newKey(other)).body).toEqual(asks)
    box.pass(1)
    expect((await newKey(screen)).body).toEqual(asks)
  })

  test('does not count a sign-in that lies in the future after the clock was set back', async () => {
    const { screen } = await someone()
    box.stepClock(-minutes(60))
    expect((await newKey(screen)).body).toEqual(asks)
    expect((await prove(screen, { password })).status).toBe(204)
    expect((await newKey(screen)).status).toBe(201)
    box.stepClock(minutes(60))
  })

  test('is required only to create or delete users, raise roles or change sign-in methods', async () => {
    const { screen } = await someone({ Admin: 2 })
    const { id, email } = await createPerson(box.context, { roles: { Tools: 1 } })
    box.pass(minutes(10))
    const admin = '/api/v1/admin/user'
    const patch = (body: object) => screen.patch(admin, { id, ...body })
    const create = (roles: object, more = {}) =>
      screen.post(admin, { name: 'New', email: `new${count++}-${dialect}@example.com`, roles, ...more })
    for (const call of [
      () => patch({ roles: { Tools: 2 } }),
      () => patch({ email: `other-${email}` }),
      () => patch({ credUsername: `other-${dialect}` }),
      () => create({ Tools: 1 }),
      () => create({}),
      () => create({}, { credUsername: 'stays', password: 'eleven purple violins' }),
      () => screen.patch(`${admin}/password`, { id, password: 'eleven purple violins' }),
      () => screen.delete(`${admin}?email=${email}`),
      () => screen.delete(`${admin}/second-factor?id=${id}`),
      () => screen.delete('/api/v1/user/provider?providerId=003_Credentials&accountId=x'),
      () => screen.post('/api/auth/two-factor/enable', {}),
      () => screen.post('/api/v1/user/passkeys/options'),
      () => screen.post('/api/auth/link-social', { provider: '001_Discord' }),
    ])
      expect(await call()).toMatchObject({ status: 403, body: asks })
    // The whole record as read, with a lowered role and another name.
    const { body: user } = await screen.get(`${admin}?email=${email}`)
    expect((await screen.patch(admin, { ...user, name: 'Other', roles: { Tools: 0 } })).status).toBe(200)
    expect((await screen.post('/api/auth/two-factor/enable', { password })).status).toBe(200)
    const change = { current: password, password: 'eleven purple violins' }
    expect((await screen.patch('/api/v1/user/password', change)).status).toBe(200)
  })

  test('wrong passwords in a proof do not block signing in, and the other way around', async () => {
    const { screen, username } = await someone()
    for (let n = 0; n < 5; n++) {
      const { status, body } = await prove(screen, { password: 'not the password' })
      expect([status, Object.keys(body.fields)]).toEqual([400, ['password']])
    }
    for (const call of [
      () => prove(screen, { password }),
      () => screen.patch('/api/v1/user/password', { current: password, password: 'eleven purple violins' }),
      () => screen.post('/api/auth/two-factor/enable', { password }),
    ])
      expect((await call()).status).toBe(429)
    expect((await browser(box.app).signIn(username!)).status).toBe(200)

    const other = await someone()
    for (let n = 0; n < 5; n++) await browser(box.app).signIn(other.username!, 'not the password')
    expect((await browser(box.app).signIn(other.username!)).status).toBe(429)
    expect((await prove(other.screen, { password })).status).toBe(204)
  })

  test('counts wrong codes separately from those of a sign-in', async () => {
    const { screen, username } = await someone()
    const [first, second] = (await turnOnApp(box, screen)).recoveryCodes
    // All endpoints that check codes within a session.
    const ways = [
      (code: string) => prove(screen, { code }),
      (code: string) => screen.post('/api/auth/two-factor/verify-totp', { code }),
      (code: string) => screen.post('/api/auth/two-factor/verify-backup-code', { code }),
    ]
    for (let n = 0; n < 5; n++) expect((await ways[n % 3]!('000000')).status).toBe(400)
    for (const enter of ways) expect((await enter('000000')).status).toBe(429)
    expect((await prove(screen, { code: first })).status).toBe(429)
    const elsewhere = browser(box.app)
    expect((await elsewhere.signIn(username!)).body).toMatchObject({ twoFactorRedirect: true })
    expect((await elsewhere.post('/api/auth/two-factor/verify-backup-code', { code: second })).status).toBe(200)
  })

  test('accepts each code only once', async () => {
    const { screen } = await someone()
    const { code, recoveryCodes } = await turnOnApp(box, screen)
    expect((await prove(screen, { code: code() })).status).toBe(400)
    box.pass(minutes(10))
    expect((await prove(screen, { code: code() })).status).toBe(204)
    expect((await newKey(screen)).status).toBe(201)
    expect((await prove(screen, { code: code() })).status).toBe(400)
    expect((await prove(screen, { code: recoveryCodes[0] })).status).toBe(204)
  })

  test('requires either a password or a code, and a signed-in user', async () => {
    const { screen } = await someone()
    const either = { password: 'Enter either your password or a code.' }
    for (const [body, fields] of [
      [{}, either],
      [{ password, code: '123456' }, either],
      [{ password: '' }, { password: expect.any(String) }],
      [{ code: 5 }, { code: 'Enter the code.' }],
    ] as const)
      expect(await prove(screen, body)).toMatchObject({ status: 400, body: { fields } })
    const { screen: passwordless } = await createSignedInPerson(box)
    expect((await prove(passwordless, { password })).status).toBe(409)
    expect((await prove(browser(box.app), { password })).status).toBe(401)
  })
})

describe.each(dialects)('a proof by a provider on %s', async (dialect) => {
  const it = closeAfterwards(await boxWithProviders(dialect))

  test('requires signing in to an account that is linked already', async () => {
    const { person, screen } = await it.enter(it.github)
    it.box.pass(minutes(10))
    expect((await newKey(screen)).body).toEqual(asks)
    const begin = { provider: '002_Github', callbackURL: '/auth/proved', prove: true }
    it.github.person(it.somebody())
    const other = await returnFromProvider(screen, await startAtProvider(screen, begin, 'link-social'))
    expect(other.error).toBe(refusalMessage('notLinked', 'GitHub'))
    expect((await newKey(screen)).body).toEqual(asks)
    it.github.person(person)
    const back = await returnFromProvider(screen, await startAtProvider(screen, begin, 'link-social'))
    expect(back).toMatchObject({ to: '/auth/proved', error: undefined })
    expect((await newKey(screen)).status).toBe(201)
    expect(await it.linksOf(person.id)).toHaveLength(1)
  })
})
