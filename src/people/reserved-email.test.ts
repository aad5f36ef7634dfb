import { afterAll, describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { browser, createSignedInPerson, password } from '../../test/support/people.ts'
import { createInvite } from '../../test/support/scenes/invited.ts'
import { boxWithProviders, refusalPath, signInAt } from '../../test/support/scenes/round-trip.ts'
import { sentences } from '../../test/support/sign-in-cases.ts'
import { setupLink } from '../sign-in/set-up.ts'

const email = 'Somebody@Unverified.invalid'
const why = 'Emails that end in @unverified.invalid are reserved.'

describe.each(dialects)('the placeholder for a lost email on %s', async (dialect) => {
  let setUpToken = ''
  const it = await boxWithProviders(dialect, { SIGN_UP: 'open' })
  const link = await setupLink(it.box.context)
  setUpToken = new URLSearchParams(new URL(link ?? '').hash.slice(1)).get('token') ?? ''
  const boss = await createSignedInPerson(it.box, { roles: { Admin: 2 } })
  afterAll(() => it.close())

  const ways: Record<string, () => Promise<{ status: number; body: unknown }>> = {
    'as one’s own': () => boss.screen.patch('/api/v1/user', { email }),
    'for a new user': () => boss.screen.post('/api/v1/admin/user', { name: 'Ada', email }),
    'for a user': () => boss.screen.patch('/api/v1/admin/user', { id: boss.id, email }),
    'for an invitation': () => boss.screen.post('/api/v1/admin/invites', { roles: {}, email }),
    'to join': async () => {
      const { token } = await createInvite(it.box)
      return browser(it.box.app).post('/api/v1/auth/invite', { token, name: 'Ada', email, username: 'ada', password })
    },
    'at set-up': () =>
      browser(it.box.app).post('/api/v1/auth/setup', { token: setUpToken, email, username: 'ada', password }),
  }
  test.each(Object.entries(ways))('is rejected with an error at its field if entered %s', async (_way, enter) => {
    expect(await enter()).toMatchObject({ status: 400, body: { fields: { email: why } } })
  })

  test('is rejected with its line number in an import of users', async () => {
    const { jar } = boss.screen
    const { statusCode, body } = await it.box.app.inject({
      method: 'POST',
      url: '/api/v1/admin/users/import',
      headers: { 'content-type': 'text/csv', 'x-xsrf-token': jar.get('XSRF-TOKEN') },
      cookies: Object.fromEntries(jar),
      payload: `email,name\n${email},Ada`,
    })
    expect([statusCode, JSON.parse(body).refused]).toEqual([400, [{ line: 2, why }]])
  })

  test('counts as no email if a provider returns it', async () => {
    const person = it.somebody()
    it.discord.person({ ...person, email })
    const { to, error } = await signInAt(it.visitor(), it.discord.id)
    expect([to, error]).toEqual([refusalPath, sentences.noEmail?.replaceAll('GitHub', 'Discord')])
  })

  test('stays unchanged when other fields of its user are saved', async () => {
    const { screen, id } = await createSignedInPerson(it.box)
    const lost = `${id}@unverified.invalid`
    await it.box.db.q.updateTable('users').set({ email: lost }).where('id', '=', id).execute()
    expect((await screen.patch('/api/v1/user', { name: 'Grace', email: lost })).body).toMatchObject({ name: 'Grace' })
    const saved = await boss.screen.patch('/api/v1/admin/user', { id, email: lost, name: 'Hopper' })
    expect([saved.status, saved.body.name]).toEqual([200, 'Hopper'])
  })
})
