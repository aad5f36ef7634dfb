import { afterEach, describe, expect, test } from 'vitest'
import { addPasskey, enterPasskey, softPasskey, totpCode } from '../../../test/support/authenticator.ts'
import { dialects } from '../../../test/support/database/databases.ts'
import { apiKeyClient, browser, createPerson, createSignedInPerson, password } from '../../../test/support/people.ts'
import { type Toolbox, toolbox } from '../../../test/support/toolbox.ts'
import { seconds } from '../../shared/time.ts'

const path = '/api/auth/two-factor'
const origin = 'https://tools.example.com'

describe.each(dialects)('a required second factor on %s', (dialect) => {
  let box: Toolbox
  afterEach(() => box.close())
  const open = async (required: string) => {
    box = await toolbox(dialect, { BASE_URL: origin, REQUIRE_SECOND_FACTOR: required })
  }

  test('must be set up at the next sign-in, and other requests are rejected until then', async () => {
    await open('all')
    const person = await createPerson(box.context, { username: 'ada', roles: { Admin: 2, Tools: 2 } })
    const screen = browser(box.app)
    expect((await screen.signIn('ada')).status).toBe(200)
    expect((await screen.get('/api/v1/auth/session')).body.user.mustSetUp).toBe(true)
    for (const url of ['/api/v1/keepalive/list', '/api/v1/admin/users', '/api/v1/user/sessions', '/api/v1/events']) {
      const { status, body } = await screen.get(url)
      expect([status, body]).toEqual([403, { error: 'Set up two-step sign-in first.' }])
    }
    const key = { name: 'key', scopes: ['read'], expiresAt: null }
    expect((await screen.post('/api/v1/user/apikeys', key)).status).toBe(403)
    const { body } = await screen.post(`${path}/enable`, { password })
    expect((await screen.get('/api/v1/user/second-factor')).body).toMatchObject({ app: null, required: true })
    expect((await screen.get('/api/v1/admin/users')).status).toBe(403)
    expect((await screen.post(`${path}/verify-totp`, { code: totpCode(body.totpURI, box.now()) })).status).toBe(200)
    expect((await screen.get('/api/v1/auth/session')).body.user).not.toHaveProperty('mustSetUp')
    expect((await screen.get('/api/v1/admin/users')).status).toBe(200)
    const created = await screen.post('/api/v1/user/apikeys', { ...key, scopes: ['read', 'write'] })
    expect(created.status).toBe(201)
    expect((await screen.post(`${path}/disable`, { password })).status).toBe(409)
    await box.db.q.deleteFrom('second_factor').where('user_id', '=', person.id).execute()
    // The user's API keys are suspended until there is a factor again.
    const program = apiKeyClient(box.app, created.body.key)
    const refused = await program.get('/api/v1/admin/users')
    expect([refused.status, refused.body]).toEqual([403, { error: 'Set up two-step sign-in first.' }])
    expect((await program.get('/metrics')).status).toBe(403)
    const enabled = (await screen.post(`${path}/enable`, { password })).body
    box.pass(seconds(30))
    await screen.post(`${path}/verify-totp`, { code: totpCode(enabled.totpURI, box.now()) })
    expect((await program.get('/api/v1/admin/users')).status).toBe(200)
  })

  test('can be limited to admins, and never applies to users without a password', async () => {
    await open('admins')
    const status = async (details: Parameters<typeof createSignedInPerson>[1]) =>
      (await (await createSignedInPerson(box, details)).screen.get('/api/v1/user/sessions')).status
    expect(await status({ username: 'admin', roles: { Admin: 1 } })).toBe(403)
    expect(await status({ username: 'user' })).toBe(200)
    expect(await status({ roles: { Admin: 2 } })).toBe(200)
  })

  test('can be a passkey, which is then requested after the password', async () => {
    await open('all')
    const { screen, id } = await createSignedInPerson(box, { username: 'ada' })
    const device = softPasskey(origin)
    expect((await addPasskey(screen, device)).status).toBe(201)
    expect((await screen.get('/api/v1/user/sessions')).status).toBe(200)
    const other = browser(box.app)
    expect((await other.signIn('ada')).body).toEqual({ twoFactorRedirect: true, twoFactorMethods: ['passkey'] })
    expect((await enterPasskey(other, device)).body.user.id).toBe(id)
    expect((await other.get('/api/v1/user/sessions')).status).toBe(200)
    // On another host, the passkey is no longer a factor, and after the password a new one must be set up.
    await box.db.q.updateTable('passkey').set({ rp_id: 'old.example.com' }).execute()
    box.pass(seconds(1))
    const later = browser(box.app)
    expect((await later.signIn('ada')).body.user.id).toBe(id)
    expect((await later.get('/api/v1/auth/session')).body.user.mustSetUp).toBe(true)
  })
})
