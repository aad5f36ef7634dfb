import { describe, expect, test } from 'vitest'
import { addPasskey, softPasskey, turnOnApp } from '../../../test/support/authenticator.ts'
import { dialects } from '../../../test/support/database/databases.ts'
import { browser, createSignedInPerson } from '../../../test/support/people.ts'
import { closeAfterwards, toolbox } from '../../../test/support/toolbox.ts'
import { minutes } from '../../shared/time.ts'
import { resetFactor } from '../set-up.ts'

const path = '/api/v1/admin/user/second-factor'
const origin = 'https://tools.example.com'

describe.each(dialects)('a reset of the second factor on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect, { BASE_URL: origin }))
  const boss = await createSignedInPerson(box, { roles: { Admin: 2 } })

  async function withFactors(username?: string) {
    const person = await createSignedInPerson(box, username ? { username } : {})
    const { code } = await turnOnApp(box, person.screen)
    expect((await addPasskey(person.screen, softPasskey(origin))).status).toBe(201)
    return { ...person, code }
  }
  const factorsOf = async (email: string) => {
    const { secondFactor, passkeys } = (await boss.screen.get(`/api/v1/admin/user?email=${email}`)).body
    return { secondFactor, passkeys }
  }
  const audit = async (id: string) => {
    const rows = box.db.q.selectFrom('audit').select('actor').where('target_id', '=', id)
    return (await rows.where('action', '=', 'factor.reset').execute()).map(({ actor }) => actor)
  }

  test('by an admin removes the app and the passkeys, ends the sessions and is logged', async () => {
    const ada = await withFactors(`ada-${dialect}`.toLowerCase())
    expect(await factorsOf(ada.email)).toEqual({ secondFactor: true, passkeys: 1 })
    const listed = async () =>
      (await boss.screen.get('/api/v1/admin/users')).body.find(({ id }: { id: string }) => id === ada.id).secondFactor
    expect(await listed()).toBe(true)
    const other = await createSignedInPerson(box, { roles: { Admin: 1 } })
    expect((await other.screen.delete(`${path}?id=${ada.id}`)).status).toBe(403)
    expect((await boss.screen.delete(`${path}?id=${ada.id}`)).body).toEqual({ id: ada.id })
    expect(await factorsOf(ada.email)).toEqual({ secondFactor: false, passkeys: 0 })
    expect(await listed()).toBe(false)
    expect((await ada.screen.get('/api/v1/auth/session')).body.user).toBeNull()
    expect((await browser(box.app).signIn(ada.username ?? '')).body.user.id).toBe(ada.id)
    expect(await audit(ada.id)).toEqual([boss.email])
    expect((await boss.screen.delete(`${path}?id=${ada.id}`)).status).toBe(409)
    expect((await boss.screen.delete(`${path}?id=nobody`)).status).toBe(404)
  })

  test('keeps passkeys that are the only sign-in method', async () => {
    const { id, email } = await withFactors()
    expect((await boss.screen.delete(`${path}?id=${id}`)).status).toBe(200)
    expect(await factorsOf(email)).toEqual({ secondFactor: false, passkeys: 1 })
  })

  test('also ends a session that a second step opens at the same time', async () => {
    const username = `race-${dialect}`.toLowerCase()
    const { id, screen, code } = await withFactors(username)
    await screen.post('/api/auth/sign-out', {})
    const other = browser(box.app)
    box.pass(minutes(1))
    expect((await other.signIn(username)).body).toMatchObject({ twoFactorRedirect: true })
    const { openSession } = box.auth
    box.auth.openSession = async (...user) => {
      const token = await openSession(...user)
      await boss.screen.delete(`${path}?id=${id}`)
      return token
    }
    expect((await other.post('/api/auth/two-factor/verify-totp', { code: code() })).status).toBe(401)
    box.auth.openSession = openSession
    expect(await box.db.q.selectFrom('sessions').select('id').where('user_id', '=', id).execute()).toEqual([])
  })

  test('is possible from the command line', async () => {
    const username = `bob-${dialect}`.toLowerCase()
    const { id, email } = await withFactors(username)
    await resetFactor(box.context, username)
    expect(await factorsOf(email)).toEqual({ secondFactor: false, passkeys: 0 })
    expect(await audit(id)).toEqual(['Command line'])
    await expect(resetFactor(box.context, username)).rejects.toMatchObject({ status: 409 })
  })
})
