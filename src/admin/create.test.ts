import { describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { browser } from '../../test/support/people.ts'
import { adminScene, adminUser as path } from '../../test/support/scenes/admin-scene.ts'

const fresh = 'eleven purple violins'

describe.each(dialects)('creating a user on %s', async (dialect) => {
  const { box, boss, newName, someone, read } = await adminScene(dialect)
  test('a name and an email are enough, and the email counts as verified', async () => {
    const name = newName()
    const { status, body } = await boss.screen.post(path, { email: ` ${name.toUpperCase()}@Example.com`, name })
    expect(status).toBe(201)
    expect(body).toMatchObject({ email: `${name}@example.com`, emailVerified: true, status: 2, tags: [] })
    expect(body).toMatchObject({ roles: { Admin: 0, Tools: 0 }, credUsername: null, providers: [], entries: 0 })
    expect(await read(body.email)).toEqual(body)
  })

  test('a user created with all fields can sign in with the given password', async () => {
    const name = newName()
    const rest = { roles: { Tools: 2 }, tags: ['Moderator'], status: 2, credUsername: name.toUpperCase() }
    const created = await boss.screen.post(path, { email: `${name}@example.com`, name, password: fresh, ...rest })
    expect(created.body).toMatchObject({ roles: { Admin: 0, Tools: 2 }, tags: ['Moderator'], credUsername: name })
    expect(created.body.providers).toMatchObject([{ providerId: '003_Credentials', accountUsername: name }])
    expect((await browser(box.app).signIn(name, fresh)).status).toBe(200)
  })

  test('a username can be saved first and get its password later', async () => {
    const name = newName()
    const { body } = await boss.screen.post(path, { email: `${name}@example.com`, name, credUsername: name })
    expect(body).toMatchObject({ credUsername: name, providers: [] })
    expect((await browser(box.app).signIn(name, fresh)).status).toBe(401)
    expect((await boss.screen.patch(`${path}/password`, { id: body.id, password: fresh })).body).toEqual({
      id: body.id,
    })
    expect((await browser(box.app).signIn(name, fresh)).status).toBe(200)
  })

  test.each([
    [{ email: 'none' }, 'email'],
    [{ name: ' ' }, 'name'],
    [{ name: 'a\u0000b' }, 'name'],
    [{ credUsername: 'a b' }, 'credUsername'],
    [{ credUsername: 'ab' }, 'credUsername'],
    [{ password: fresh }, 'credUsername'],
    [{ credUsername: 'somebody-new', password: 'short' }, 'password'],
    [{ credUsername: 'somebody-new', password: 'password1234' }, 'password'],
    [{ credUsername: 'somebody-new', password: 'somebody-new' }, 'password'],
    [{ status: 3 }, 'status'],
    [{ tags: ['Verified', 'Verified'] }, 'tags'],
    [{ tags: ['King'] }, 'tags'],
    [{ roles: { Admin: 3 } }, 'roles'],
    [{ roles: { Root: 1 } }, 'roles'],
    [{ image: 'x' }, 'image'],
  ])('rejects a new user with %j and reports the field %s', async (more, field) => {
    const before = (await boss.screen.get(`${path}s`)).body.length
    const { status, body } = await boss.screen.post(path, { email: 'new@example.com', name: 'New', ...more })
    expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
    expect((await boss.screen.get(`${path}s`)).body).toHaveLength(before)
  })

  test('ignores read-only fields: id, times, counts and keys', async () => {
    const name = newName()
    const whole = { ...(await read(boss.email)), email: `${name}@example.com`, name, credUsername: null }
    const { status, body } = await boss.screen.post(path, whole)
    expect(status).toBe(201)
    expect(body.id).not.toBe(boss.id)
    expect(body).toMatchObject({ logInCount: 0, providers: [], lastUsageTimestamp: null, apiKeys: [] })
  })

  test('of two concurrent requests for one email or username, one succeeds and one fails with that field', async () => {
    for (const field of ['email', 'credUsername'] as const) {
      const shared = newName()
      const bodies = [newName(), newName()].map((name) => ({
        name,
        email: field === 'email' ? `${shared}@example.com` : `${name}@example.com`,
        credUsername: field === 'credUsername' ? shared : name,
      }))
      const answers = await Promise.all(bodies.map((body) => boss.screen.post(path, body)))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
      const refused = answers.find(({ status }) => status === 409)!
      expect(Object.keys(refused.body.fields)).toEqual([field])
      const other = await someone()
      const late = await boss.screen.patch(path, { id: other.id, [field]: bodies[0]![field] })
      expect([late.status, Object.keys(late.body.fields)]).toEqual([409, [field]])
    }
  })
})
