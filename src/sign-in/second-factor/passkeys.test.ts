import { describe, expect, test } from 'vitest'
import { addPasskey, enterPasskey, softPasskey, turnOnApp } from '../../../test/support/authenticator.ts'
import { dialects } from '../../../test/support/database/databases.ts'
import { browser, createSignedInPerson } from '../../../test/support/people.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'
import { minutes, seconds } from '../../shared/time.ts'
import { Blocked } from '../../shared/user.ts'

const path = '/api/v1/user/passkeys'
const signInPath = '/api/auth/sign-in/passkey'
const origin = 'https://tools.example.com'
type Screen = ReturnType<typeof browser>
type Device = ReturnType<typeof softPasskey>

const prove = (screen: Screen, device: Device, verifies = true) =>
  enterPasskey(screen, device, { prove: true, verifies })

describe.each(dialects)('a passkey on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect, { BASE_URL: origin }))
  const own = async (screen: Screen) => (await screen.get('/api/v1/user/second-factor')).body
  const logIns = async (id: string) =>
    (await box.db.q.selectFrom('users').select('log_in_count').where('id', '=', id).executeTakeFirstOrThrow())
      .log_in_count

  test('confirms its owner’s identity in a session, without starting another', async () => {
    const { id, screen } = await createSignedInPerson(box)
    const device = softPasskey(origin)
    await addPasskey(screen, device)
    const other = await createSignedInPerson(box)
    const otherDevice = softPasskey(origin)
    await addPasskey(other.screen, otherDevice)
    const before = await logIns(id)
    const sessions = (await screen.get('/api/v1/user/sessions')).body
    box.pass(minutes(10))
    expect((await prove(screen, otherDevice)).status).toBe(409)
    expect((await screen.post(`${path}/options`)).body.reauthenticate).toBe(true)
    expect((await prove(screen, device)).body.user.id).toBe(id)
    expect((await screen.post(`${path}/options`)).status).toBe(200)
    expect(await logIns(id)).toBe(before)
    expect((await screen.get('/api/v1/user/sessions')).body).toMatchObject([{ id: sessions[0].id }])
    expect((await prove(browser(box.app), device)).status).toBe(401)
  })

  test('is rejected as a copy if its counter has not increased', async () => {
    const { screen } = await createSignedInPerson(box)
    const device = softPasskey(origin)
    await addPasskey(screen, device)
    const other = browser(box.app)
    expect((await enterPasskey(other, device)).status).toBe(200)
    device.rollBackCounter()
    const { status, body } = await enterPasskey(other, device)
    expect([status, body.error]).toEqual([401, expect.stringContaining('as a copy would')])
    device.rollBackCounter()
    const forged = {
      ...device,
      get: (...of: Parameters<Device['get']>) => ({
        ...softPasskey(origin).get(...of),
        id: device.id,
        rawId: device.id,
      }),
    }
    expect((await enterPasskey(other, forged)).body.error).toContain('could not be verified')
    expect((await enterPasskey(other, device)).status).toBe(401)
    expect((await enterPasskey(other, device)).status).toBe(200)
  })

  test('signs its owner in, counts as both steps, and adds one to the sign-in count', async () => {
    const { id, screen, username = '' } = await createSignedInPerson(box, { username: `keys-${dialect}`.toLowerCase() })
    const device = softPasskey(origin)
    const added = await addPasskey(screen, device)
    expect([added.status, added.body]).toEqual([
      201,
      { id: added.body.id, name: 'Laptop', works: true, createdAt: box.now(), lastUsedAt: null },
    ])
    expect((await screen.post(`${path}/options`)).body.excludeCredentials).toMatchObject([{ id: device.id }])
    await turnOnApp(box, screen)
    const other = browser(box.app, '192.0.2.9')
    expect((await other.signIn(username)).body.twoFactorMethods).toEqual(['totp', 'passkey'])
    const before = await logIns(id)
    box.pass(seconds(5))
    const done = await enterPasskey(other, device)
    expect([done.status, done.body.user.id]).toEqual([200, id])
    expect(await logIns(id)).toBe(before + 1)
    expect((await other.get('/api/v1/auth/session')).body.user.id).toBe(id)
    expect((await other.get('/api/v1/auth/second-step')).body.methods).toEqual([])
    expect((await own(screen)).passkeys).toMatchObject([{ name: 'Laptop', lastUsedAt: box.now() }])
    await box.db.q.updateTable('users').set({ status: Blocked }).where('id', '=', id).execute()
    expect((await enterPasskey(browser(box.app), device)).status).toBe(403)
  })

  test('requires a device that verifies its user', async () => {
    const { screen } = await createSignedInPerson(box)
    const device = softPasskey(origin)
    expect((await addPasskey(screen, device, 'Stick', false)).status).toBe(401)
    expect((await addPasskey(screen, device, 'Stick')).status).toBe(201)
    const other = browser(box.app)
    expect((await other.post(`${signInPath}/options`)).body.userVerification).toBe('required')
    expect((await enterPasskey(other, device, { verifies: false })).status).toBe(401)
    expect((await enterPasskey(other, device)).status).toBe(200)
  })

  test('answers a challenge only once, in the same browser, for its purpose, within five minutes', async () => {
    const { screen } = await createSignedInPerson(box)
    const device = softPasskey(origin)
    await addPasskey(screen, device)
    const other = browser(box.app)
    const options = (await other.post(`${signInPath}/options`)).body
    const cookies = Object.fromEntries(other.jar)
    const response = device.get(options)
    expect((await browser(box.app).post(signInPath, { response })).status).toBe(400)
    const forOther = softPasskey(origin).create(options)
    expect((await screen.post(path, { name: 'x', response: forOther })).status).toBe(400)
    expect((await other.post(signInPath, { response })).status).toBe(200)
    const sameBrowser = browser(box.app, '192.0.2.1', cookies)
    expect((await sameBrowser.post(signInPath, { response: device.get(options) })).status).toBe(400)
    const late = browser(box.app)
    const answer = device.get((await late.post(`${signInPath}/options`)).body)
    box.pass(minutes(5))
    expect((await late.post(signInPath, { response: answer })).status).toBe(400)
    expect((await enterPasskey(browser(box.app), softPasskey(origin))).status).toBe(401)
    const elsewhere = await addPasskey(screen, softPasskey('https://evil.example.com'))
    expect(elsewhere.status).toBe(401)
  })

  test('can be renamed and deleted only by its owner, but not deleted as the last sign-in method', async () => {
    const { id, screen } = await createSignedInPerson(box)
    const stranger = await createSignedInPerson(box)
    const devices = [softPasskey(origin), softPasskey(origin)]
    const first = (await addPasskey(screen, devices[0]!)).body
    expect((await addPasskey(stranger.screen, devices[0]!)).status).toBe(409)
    const second = (await addPasskey(screen, devices[1]!)).body
    const response = softPasskey(origin).create((await screen.post(`${path}/options`)).body)
    const transports = Array.from({ length: 11 }, (_, n) => `way ${n}`)
    const endless = { ...response, response: { ...response.response, transports } }
    expect((await screen.post(path, { name: 'Endless', response: endless })).status).toBe(400)
    expect((await stranger.screen.patch(path, { id: first.id, name: 'Mine' })).status).toBe(404)
    expect((await stranger.screen.delete(`${path}?id=${first.id}`)).status).toBe(404)
    expect((await screen.patch(path, { id: first.id, name: '\u200b' })).status).toBe(400)
    expect((await screen.patch(path, { id: first.id, name: ' Phone ' })).status).toBe(200)
    expect((await own(screen)).passkeys.map(({ name }: { name: string }) => name).sort()).toEqual(['Laptop', 'Phone'])
    expect((await screen.delete(`${path}?id=${first.id}`)).status).toBe(200)
    expect((await screen.delete(`${path}?id=${second.id}`)).status).toBe(409)
    const audit = await box.db.q.selectFrom('audit').select(['action', 'changes']).where('target_id', '=', id).execute()
    expect(audit.map(({ action }) => action).sort()).toEqual(['passkey.create', 'passkey.create', 'passkey.delete'])
  })

  test('is limited to 30 attempts in 15 minutes from one network, successful or not', async () => {
    const { id, screen } = await createSignedInPerson(box)
    const device = softPasskey(origin)
    await addPasskey(screen, device)
    for (let times = 0; times < 30; times += 1)
      expect((await enterPasskey(browser(box.app), device, { verifies: false })).status).toBe(401)
    expect((await enterPasskey(browser(box.app), device)).status).toBe(429)
    // Attempts within a session are counted separately.
    for (let times = 0; times < 30; times += 1) expect((await prove(screen, device, false)).status).toBe(401)
    expect((await prove(screen, device)).status).toBe(429)
    box.pass(minutes(15))
    for (let times = 0; times < 30; times += 1) expect((await prove(screen, device, false)).status).toBe(401)
    expect((await enterPasskey(browser(box.app), device)).body.user.id).toBe(id)
  })

  test('cannot become the only sign-in method, since it would not work on another host', async () => {
    const { id, screen } = await createSignedInPerson(box, { username: `drops-${dialect}`.toLowerCase() })
    await addPasskey(screen, softPasskey(origin))
    const drop = await screen.delete(`/api/v1/user/provider?providerId=003_Credentials&accountId=${id}`)
    expect(drop.status).toBe(409)
  })

  test('of another host does not work, but can be deleted', async () => {
    const { id, screen } = await createSignedInPerson(box)
    const device = softPasskey(origin)
    const { body } = await addPasskey(screen, device)
    await box.db.q.updateTable('passkey').set({ rp_id: 'old.example.com' }).where('user_id', '=', id).execute()
    expect((await own(screen)).passkeys).toMatchObject([{ works: false }])
    expect((await enterPasskey(browser(box.app), device)).status).toBe(401)
    expect((await screen.delete(`${path}?id=${body.id}`)).status).toBe(200)
  })
})
