import { afterAll, describe, expect, test, vi } from 'vitest'
import { turnOnApp } from '../../../test/support/authenticator.ts'
import { dialects } from '../../../test/support/database/databases.ts'
import { boxWithProviders, signInAt } from '../../../test/support/scenes/round-trip.ts'
import { linkAccount } from '../../people/sign-in-methods.ts'
import { seconds } from '../../shared/time.ts'

const path = '/api/auth/two-factor'

describe.each(dialects)('a second step after Discord or GitHub on %s', async (dialect) => {
  const it = await boxWithProviders(dialect)
  afterAll(() => it.close())

  /** A user who signs in with this provider and has an authenticator app. */
  async function enrolled(which: 'discord' | 'github') {
    const { person, screen, user } = await it.enter(it[which])
    const { code } = await turnOnApp(it.box, screen)
    return { person, id: user.id as string, code }
  }

  test.each(['discord', 'github'] as const)('is requested on a separate page (%s)', async (which) => {
    const { id, code } = await enrolled(which)
    const users = it.box.db.q.selectFrom('users').select('log_in_count').where('id', '=', id)
    const before = await users.executeTakeFirst()

    const screen = it.visitor()
    const end = await signInAt(screen, it[which].id, '/user')
    expect(end).toEqual({ status: 302, to: '/auth/second-step', error: undefined })
    expect((await screen.get('/api/v1/auth/session')).body.user).toBeNull()
    expect(await users.executeTakeFirst()).toEqual(before)
    it.box.pass(seconds(30))
    const done = await screen.post(`${path}/verify-totp`, { code: code() })
    expect([done.status, done.body.user?.id]).toEqual([200, id])
    expect((await screen.get('/api/v1/auth/session')).body.user.id).toBe(id)
  })

  test('is required before a new account with the same email is linked', async () => {
    const { person, id, code } = await enrolled('discord')

    const other = { ...person, id: `9${person.id}` }
    const { screen, ...ending } = await it.enter(it.github, other)
    expect(ending).toMatchObject({ to: '/auth/second-step', error: undefined })
    expect(await it.linksOf(other.id)).toEqual([])
    it.box.pass(seconds(30))
    const done = await screen.post(`${path}/verify-totp`, { code: code() })
    expect([done.status, done.body.user?.id]).toEqual([200, id])
    expect(done.body.user.providers).toHaveLength(2)
    expect(await it.linksOf(other.id)).toMatchObject([{ user_id: id }])
    const log = it.box.db.q.selectFrom('audit').select('action').where('target_id', '=', id)
    expect((await log.execute()).filter(({ action }) => action === 'provider.link')).toHaveLength(1)
  })

  test('finishes the sign-in without linking a new account over the limit, and tells its user if it can', async () => {
    const { person, id, code } = await enrolled('discord')
    const { db } = it.box
    for (let n = 1; n < 20; n += 1) {
      const account = { providerId: it.discord.id, accountId: `${person.id}-${n}`, accountUsername: person.username }
      await linkAccount(db, db.q, id, account, it.box.now())
    }
    const other = { ...person, id: `9${person.id}` }
    const { screen, ...ending } = await it.enter(it.github, other)
    expect(ending).toMatchObject({ to: '/auth/second-step', error: undefined })
    it.box.pass(seconds(30))
    const done = await screen.post(`${path}/verify-totp`, { code: code() })
    expect([done.status, done.body.user?.id]).toEqual([200, id])
    expect((await screen.get('/api/v1/auth/session')).body.user.id).toBe(id)
    expect(await it.linksOf(other.id)).toEqual([])
    const messages = (await screen.get('/api/v1/user/inbox')).body.items.map(
      ({ message }: { message: string }) => message,
    )
    expect(messages).toContain("Your GitHub account wasn't linked. You can link up to 20 accounts. Unlink one first.")

    const newScreen = it.visitor()
    await signInAt(newScreen, it.github.id)
    it.box.pass(seconds(30))
    const notify = vi.spyOn(it.box.context, 'notify').mockRejectedValue(new Error('database is locked'))
    const { status } = await newScreen.post(`${path}/verify-totp`, { code: code() })
    notify.mockRestore()
    expect([status, (await newScreen.get('/api/v1/auth/session')).body.user.id]).toEqual([200, id])
  })
})
