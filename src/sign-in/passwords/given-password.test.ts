import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { browser, createSignedInPerson } from '../../../test/support/people.ts'
import { adminScene } from '../../../test/support/scenes/admin-scene.ts'
import { resetPassword } from '../set-up.ts'

const chosen = 'nine quiet harbours'
const own = 'eleven purple violins'

describe.each(dialects)('a password that its user did not choose on %s', async (dialect) => {
  const { box, boss } = await adminScene(dialect)
  const set = (id: string) => boss.screen.patch('/api/v1/admin/user/password', { id, password: chosen })
  const givenAt = async (screen: ReturnType<typeof browser>) => (await screen.get('/api/v1/user/password')).body.givenAt
  async function back(username: string, secret: string) {
    const screen = browser(box.app)
    expect((await screen.signIn(username, secret)).status).toBe(200)
    return screen
  }

  test('is marked until the user changes it', async () => {
    const ada = await createSignedInPerson(box, { username: 'ada' })
    expect(await givenAt(ada.screen)).toBeNull()
    expect((await set(ada.id)).status).toBe(200)
    const screen = await back('ada', chosen)
    expect(await givenAt(screen)).toBe(box.now())
    expect((await screen.patch('/api/v1/user/password', { current: chosen, password: own })).status).toBe(200)
    expect(await givenAt(screen)).toBeNull()
  })

  test('is marked if set by an admin for a new user, or by the operator', async () => {
    const eve = { name: 'Eve', email: 'eve@example.com', credUsername: 'eve', password: chosen }
    expect((await boss.screen.post('/api/v1/admin/user', eve)).status).toBe(201)
    expect(await givenAt(await back('eve', chosen))).toBe(box.now())
    await createSignedInPerson(box, { username: 'reset' })
    await resetPassword(box.context, 'reset', chosen)
    expect(await givenAt(await back('reset', chosen))).toBe(box.now())
  })

  test('is not reported for an admin’s own password, or for a user without one', async () => {
    expect((await set(boss.id)).status).toBe(200)
    expect(await givenAt(boss.screen)).toBeNull()
    expect(await givenAt((await createSignedInPerson(box)).screen)).toBeNull()
  })
})
