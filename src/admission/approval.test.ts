import { afterAll, describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { createPerson, createSignedInPerson } from '../../test/support/people.ts'
import { createInvite, stateOf } from '../../test/support/scenes/invited.ts'
import { boxWithProviders, refusalPath, signInAt } from '../../test/support/scenes/round-trip.ts'
import { cookiePrefix } from '../platform/http/access/origin.ts'
import { days } from '../shared/time.ts'
import { Inactive } from '../shared/user.ts'
import { refusalMessage } from '../sign-in/providers/refusal.ts'
import type { Decision } from './access/contract.ts'

describe.each(dialects)('sign-up with approval on %s', async (dialect) => {
  const it = await boxWithProviders(dialect, { SIGN_UP: 'approval', SIGN_UP_TOOLS: '1' })
  const boss = await createSignedInPerson(it.box, { roles: { Admin: 2 } })
  afterAll(() => it.close())

  const waitingCookie = () => `${cookiePrefix(it.box.context.config.baseUrl)}.waiting`

  const messagesTo = async (userId: string) =>
    (await it.box.db.q.selectFrom('notification').select('message').where('user_id', '=', userId).execute()).map(
      ({ message }) => message,
    )

  /** A new user who has signed up in a separate browser. */
  async function newcomer() {
    const person = it.somebody()
    it.github.person(person)
    const screen = it.visitor()
    const signIn = () => {
      it.github.person(person)
      return signInAt(screen, it.github.id)
    }
    expect(await signIn()).toEqual({ status: 302, to: refusalPath, error: refusalMessage('waiting') })
    const { id } = await it.box.db.q
      .selectFrom('users')
      .select('id')
      .where('email', '=', person.email)
      .executeTakeFirstOrThrow()
    const state = async () => (await screen.get('/api/v1/auth/access')).body.state
    const waits = async () => {
      const rows: { id: string }[] = (await boss.screen.get('/api/v1/admin/access-requests')).body
      return rows.some((row) => row.id === id)
    }
    return { ...person, id, screen, signIn, state, waits }
  }
  async function decide(id: string, decision: Decision) {
    const answer = await boss.screen.post('/api/v1/admin/access-requests/decide', { ids: [id], decision })
    expect(answer.body).toEqual({ done: [id], refused: [] })
  }

  test('notifies every admin who can decide, once', async () => {
    const bosses = [
      await createPerson(it.box.context, { roles: { Admin: 2 } }),
      await createPerson(it.box.context, { roles: { Admin: 2 } }),
    ]
    const others = [
      await createPerson(it.box.context, { roles: { Admin: 1 } }),
      await createPerson(it.box.context, { roles: { Admin: 2 }, status: Inactive }),
    ]
    const ada = await newcomer()
    // Another attempt is refused too, and isn't reported to the admins again.
    expect((await ada.signIn()).error).toBe(refusalMessage('waiting'))
    for (const { id } of bosses)
      expect(await messagesTo(id)).toEqual([`“${ada.email}” has signed up and is waiting for approval.`])
    for (const { id } of others) expect(await messagesTo(id)).toEqual([])
    expect(await ada.waits()).toBe(true)
  })

  test('the browser sees the approval until the user signs in', async () => {
    const ada = await newcomer()
    expect(await ada.state()).toBe('pending')
    expect((await it.visitor().get('/api/v1/auth/access')).body).toEqual({ state: 'none' })
    await decide(ada.id, 'approve')
    expect(await ada.state()).toBe('approved')
    expect(await ada.signIn()).toMatchObject({ to: '/' })
    expect(ada.screen.jar.has(waitingCookie())).toBe(false)
    expect(await ada.state()).toBe('none')
    const { user } = (await ada.screen.get('/api/v1/auth/session')).body
    expect(user.roles).toEqual({ Admin: 0, Tools: 1 })
  })

  test('a forged cookie, or one of a deleted user, reveals nothing', async () => {
    const [ada, bob] = [await newcomer(), await newcomer()]
    const cookie = ada.screen.jar.get(waitingCookie())!
    for (const forged of [
      bob.id,
      `${bob.id}.`,
      cookie.replace(ada.id, bob.id),
      `${cookie.slice(0, -4)}xxx=`,
      '.',
      'x.y.z',
    ]) {
      const screen = it.visitor({ [waitingCookie()]: forged })
      expect((await screen.get('/api/v1/auth/access')).body, forged).toEqual({ state: 'none' })
      expect(screen.jar.has(waitingCookie())).toBe(false)
    }
    await it.box.db.q.deleteFrom('users').where('id', '=', ada.id).execute()
    expect(await ada.state()).toBe('none')
  })

  test('a declined user sees that for a day, and asks again by signing in after that', async () => {
    const ada = await newcomer()
    await decide(ada.id, 'decline')
    expect(await ada.state()).toBe('none')
    expect((await ada.signIn()).error).toBe(refusalMessage('declined'))
    expect(await ada.waits()).toBe(false)
    const other = await createPerson(it.box.context, { roles: { Admin: 2 } })
    const later = it.box.now() - days(1)
    await it.box.db.q.updateTable('access_request').set({ decided_at: later }).where('user_id', '=', ada.id).execute()
    expect((await ada.signIn()).error).toBe(refusalMessage('waiting'))
    expect([await ada.state(), await ada.waits()]).toEqual(['pending', true])
    expect(await messagesTo(other.id)).toEqual([`“${ada.email}” was declined and is asking for approval again.`])
  })

  test('an invitation approves a waiting user and counts a use, even if it grants nothing else', async () => {
    const [ada, bob] = [await newcomer(), await newcomer()]
    const { id, token } = await createInvite(it.box, { roles: { Admin: 0, Tools: 0 } })
    for (const { screen } of [ada, bob]) expect((await screen.post('/api/v1/auth/invite', { token })).status).toBe(204)
    expect(await ada.signIn()).toMatchObject({ to: '/' })
    expect([await stateOf(it.box, ada.email, id), await ada.waits()]).toMatchObject([
      { used: 1, status: 'Active' },
      false,
    ])
    expect((await bob.signIn()).error).toBe(refusalMessage('waiting'))
    expect([await stateOf(it.box, bob.email, id), await bob.waits()]).toMatchObject([
      { used: 1, status: 'Inactive' },
      true,
    ])
  })

  test('a user made inactive by an admin is not waiting', async () => {
    const ada = await newcomer()
    for (const status of [2, 1])
      expect((await boss.screen.patch('/api/v1/admin/user', { id: ada.id, status })).status).toBe(200)
    expect((await ada.signIn()).error).toBe(refusalMessage('inactive'))
    expect([await ada.state(), await ada.waits()]).toEqual(['none', false])
  })
})
