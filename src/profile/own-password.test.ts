import { describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { browser, createSignedInPerson, password, startSession } from '../../test/support/people.ts'
import { closeAfterwards, toolbox } from '../../test/support/toolbox.ts'

const fresh = 'eleven purple violins'

describe.each(dialects)('changing one’s own password on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))
  const whoIs = async (screen: ReturnType<typeof browser>) =>
    (await screen.get('/api/v1/auth/session')).body.user?.id ?? null

  test('keeps the current session and ends all others', async () => {
    const { screen, session: _, ...person } = await createSignedInPerson(box, { username: `change-${dialect}` })
    const other = browser(box.app, '192.0.2.2', (await startSession(box.context, box.auth, person)).cookie)
    const changed = await screen.patch('/api/v1/user/password', { current: password, password: fresh })
    expect([changed.status, changed.body]).toEqual([200, { ended: 1 }])
    expect(await whoIs(screen)).toBe(person.id)
    expect(await whoIs(other)).toBeNull()
    const newScreen = browser(box.app, '192.0.2.3')
    expect((await newScreen.signIn(person.username!)).status).toBe(401)
    expect((await newScreen.signIn(person.username!, fresh)).status).toBe(200)
    const own = box.db.q.selectFrom('audit').selectAll().where('actor_id', '=', person.id)
    expect(await own.where('action', '!=', 'session.start').execute()).toMatchObject([
      { action: 'user.password', actor: person.email, target_id: person.id, target: person.email, changes: '[]' },
    ])
  })

  test('rejects weak passwords, and blocks the change after five wrong current passwords', async () => {
    const names = { name: `Fay.Weldon.${dialect}`, username: `fay-${dialect}` }
    const { screen, email, name } = await createSignedInPerson(box, names)
    for (const weak of ['short', 'password1234', email, name]) {
      const { status, body } = await screen.patch('/api/v1/user/password', { current: password, password: weak })
      expect([status, Object.keys(body.fields)]).toEqual([400, ['password']])
    }
    for (let n = 0; n < 5; n++) {
      const { status, body } = await screen.patch('/api/v1/user/password', { current: 'wrong', password: fresh })
      expect([status, Object.keys(body.fields)]).toEqual([400, ['current']])
    }
    expect((await screen.patch('/api/v1/user/password', { current: password, password: fresh })).status).toBe(429)
  })

  test('is refused for a user without a password', async () => {
    const { screen } = await createSignedInPerson(box)
    expect((await screen.patch('/api/v1/user/password', { current: 'any', password: fresh })).status).toBe(409)
  })
})
