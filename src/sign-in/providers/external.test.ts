import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { startFakeOpenId } from '../../../test/support/fakes/fake-openid.ts'
import { browser, createPerson, startSession } from '../../../test/support/people.ts'
import { createInvite } from '../../../test/support/scenes/invited.ts'
import {
  boxWithProviders,
  linkAt,
  refusalPath,
  returnFromProvider,
  type Screen,
  signInAt,
  startAtProvider,
} from '../../../test/support/scenes/round-trip.ts'
import { recordEvents } from '../../../test/support/toolbox.ts'
import { cleanUpAccounts } from '../../app.ts'
import { signInChanged } from '../../notices/account-changes.ts'
import { instantOf } from '../../platform/db/storable.ts'
import { days, hours } from '../../shared/time.ts'
import { sessionLife } from '../auth.ts'

const signedInAs = async (screen: Screen) => (await screen.get('/api/v1/auth/session')).body.user

describe.each(dialects)('signing in with a provider on %s', async (dialect) => {
  const openid = await startFakeOpenId()
  const it = await boxWithProviders(dialect, openid.env)
  const fakes = { discord: it.discord, github: it.github, openid }
  afterAll(async () => {
    await it.close()
    await openid.close()
  })
  const userOf = (email: string) =>
    it.box.db.q.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow()
  const sessionOf = async (email: string) => {
    const own = it.box.db.q
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', (await userOf(email)).id)
    return own.executeTakeFirstOrThrow()
  }

  test('offers the providers by name, with their profile URLs', async () => {
    expect((await it.visitor().get('/api/v1/auth/providers')).body).toEqual([
      { id: '001_Discord', name: 'Discord' },
      { id: '002_Github', name: 'GitHub' },
      { id: '004_OIDC', name: 'OpenID' },
    ])
    expect((await it.visitor().get('/api/v1/config')).body.profiles).toEqual({
      '001_Discord': { name: 'Discord', url: `${it.discord.url}/users/{id}` },
      '002_Github': { name: 'GitHub', url: `${it.github.url}/{username}` },
      '003_Credentials': { name: 'Credentials', url: '/user' },
      '004_OIDC': { name: 'OpenID', url: openid.url },
    })
  })

  describe.each(['discord', 'github', 'openid'] as const)('(%s)', (which) => {
    const fake = fakes[which]

    test('creates a user without roles, signs in and redirects to the requested page', async () => {
      const person = { ...it.somebody(), name: 'Octo Cat' }
      fake.person(person)
      const screen = it.visitor()
      const destination = '/tools/keepalive?x=%C3%A4#y'
      expect(await signInAt(screen, fake.id, destination)).toEqual({
        status: 302,
        to: destination,
        error: undefined,
      })
      expect(await signedInAs(screen)).toMatchObject({
        name: 'Octo Cat',
        email: person.email,
        emailVerified: true,
        roles: { Admin: 0, Tools: 0 },
        providers: [{ providerId: fake.id, accountId: fake.accountId(person.id), accountUsername: person.username }],
      })
    })

    test('stores no tokens, counts sign-ins and follows a renamed account', async () => {
      const { person } = await it.enter(fake)
      const username = `${person.username}-renamed`
      await it.enter(fake, { ...person, username })
      const nothing = { access_token: null, refresh_token: null, id_token: null, scope: null }
      expect(await it.linksOf(fake.accountId(person.id))).toMatchObject([{ account_username: username, ...nothing }])
      expect((await userOf(person.email)).log_in_count).toBe(2)
    })

    test('linking stores no tokens either, and can be repeated', async () => {
      const me = await createPerson(it.box.context)
      const person = it.somebody()
      fake.person(person)
      const screen = it.visitor((await startSession(it.box.context, it.box.auth, me)).cookie)
      for (const _ of 'ab')
        expect(await linkAt(screen, fake.id)).toEqual({ status: 302, to: '/user', error: undefined })
      const nothing = { access_token: null, refresh_token: null, id_token: null, scope: null }
      expect(await it.linksOf(fake.accountId(person.id))).toMatchObject([{ user_id: me.id, ...nothing }])
    })
  })

  test('counts each sign-in and lists its time, address and browser, by password or provider', async () => {
    const userAgent = 'lightMyRequest'
    const { email } = await createPerson(it.box.context, { username: `listed-${dialect}` })
    const typed = browser(it.box.app, '203.0.113.4')
    await typed.signIn(`listed-${dialect}`)
    const expected = { address: '203.0.113.4', userAgent, current: true, createdAt: it.box.now() }
    expect((await typed.get('/api/v1/user/sessions')).body).toMatchObject([expected])
    expect((await userOf(email)).log_in_count).toBe(1)
    for (const fake of it.fakes) {
      const { screen } = await it.enter(fake, it.somebody(), browser(it.box.app, '203.0.113.5'))
      const [session] = (await screen.get('/api/v1/user/sessions')).body
      expect(session).toMatchObject({ address: '203.0.113.5', userAgent, current: true })
    }
  })

  test('takes the primary GitHub email from any page of results, never the public one of the profile', async () => {
    const person = it.somebody()
    const moreEmails = Array.from({ length: 120 }, (_, n) => `more${n}@example.com`)
    const publicEmail = 'somebody.else@example.com'
    const { user } = await it.enter(it.github, { ...person, publicEmail, moreEmails })
    expect(user.email).toBe(person.email)
  })

  test('a linked account keeps signing in its user, even if its email now belongs to another user', async () => {
    const { person } = await it.enter(it.discord)
    const other = await createPerson(it.box.context)
    const { user } = await it.enter(it.discord, { ...person, email: other.email })
    expect(user.email).toBe(person.email)
  })

  test('signing up and linking are logged, and linking sends live events', async () => {
    const { person, screen, user } = await it.enter(it.discord)
    const { id } = user
    it.github.person({ ...person, id: '77' })
    const { recorded, stop } = recordEvents(it.box.context)
    await linkAt(screen, '002_Github')
    stop()
    expect(recorded).toEqual(signInChanged(id))
    const rows = await it.box.db.q
      .selectFrom('audit')
      .selectAll()
      .where('target_id', '=', id)
      .orderBy('action')
      .execute()
    expect(rows.map(({ action, actor, actor_id }) => [action, actor, actor_id])).toEqual([
      ['provider.link', person.email, id],
      ['user.signup', person.email, id],
    ])
    expect(rows[0]?.changes).toContain(`002_Github ${person.username}`)
    expect(rows[0]?.address).toMatch(/^198\.51\./)
  })

  test('a link made by signing in does not count as an edit of the user, but linking by hand does', async () => {
    const { box } = it
    const { person } = await it.enter(it.discord)
    const before = await userOf(person.email)
    box.pass(1_000)
    expect(await it.enter(it.github, { ...person, id: `${person.id}7` })).toMatchObject({ to: '/' })
    expect(await it.linksOf(`${person.id}7`)).toMatchObject([{ user_id: before.id }])
    const { updated_at, changed_by } = await userOf(person.email)
    expect([updated_at, changed_by]).toEqual([before.updated_at, null])
    const { person: other, screen: theirs } = await it.enter(it.discord)
    const { id, updated_at: madeAt } = await userOf(other.email)
    it.github.person({ ...other, id: `${other.id}7` })
    box.pass(1_000)
    expect(await linkAt(theirs, '002_Github')).toMatchObject({ to: '/user' })
    const edited = await userOf(other.email)
    expect([edited.updated_at > madeAt, edited.changed_by]).toEqual([true, id])
  })

  test('an email moves to the user who proves it; the previous user keeps all other data and is notified', async () => {
    const { box } = it
    const person = it.somebody()
    const { screen: squatter, user } = await it.enter(it.discord, { ...person, verified: false })
    const { id } = user
    expect(user).toMatchObject({ email: person.email, emailVerified: false })
    const { to, user: newcomer } = await it.enter(it.github, { ...person, id: `${person.id}7` })
    expect([to, newcomer]).toMatchObject(['/', { email: person.email, emailVerified: true }])
    expect(newcomer.id).not.toBe(id)
    expect(await signedInAs(squatter)).toMatchObject({ id, email: `${id}@unverified.invalid`, emailVerified: false })
    const notifications = await box.db.q
      .selectFrom('notification')
      .select('message')
      .where('user_id', '=', id)
      .execute()
    expect(notifications.map(({ message }) => message).join()).toContain(person.email)
    const log = await box.db.q.selectFrom('audit').selectAll().where('target_id', '=', id).execute()
    expect(log.find(({ action }) => action === 'user.edit')).toMatchObject({
      actor_id: newcomer.id,
      target: person.email,
      changes: JSON.stringify([{ field: 'email', from: person.email, to: `${id}@unverified.invalid` }]),
    })
    expect(await signInAt(it.visitor(), '001_Discord')).toMatchObject({ to: '/' })
  })

  test.each([
    ['for it, mailed there', 'goes', { mailed: true }],
    ['for anyone', 'never goes', { email: null }],
  ] as const)(
    'with an invitation %s, an email that its user never verified %s to the new user',
    async (_for, goes, more) => {
      const { box } = it
      const person = { ...it.somebody(), verified: false }
      const { screen: squatter, user } = await it.enter(it.discord, person)
      const { id } = user
      const { token } = await createInvite(box, { email: person.email, ...more })
      const screen = it.visitor()
      await screen.post('/api/v1/auth/invite', { token })
      const isTaken = goes === 'goes'
      const { to } = await it.enter(it.discord, { ...person, id: `${person.id}7` }, screen)
      expect(to).toBe(isTaken ? '/' : refusalPath)
      const email = isTaken ? `${id}@unverified.invalid` : person.email
      expect(await signedInAs(squatter)).toMatchObject({ id, email, emailVerified: false })
      if (isTaken) expect(await signedInAs(screen)).toMatchObject({ email: person.email, emailVerified: true })
    },
  )

  test('an email moves to the user who proves it, even if another user holds its placeholder', async () => {
    const { box } = it
    const person = it.somebody()
    const { screen: squatter, user } = await it.enter(it.discord, { ...person, verified: false })
    const { id } = user
    const { person: accomplice } = await it.enter(it.discord)
    const email = `${id}@unverified.invalid`
    await box.db.q.updateTable('users').set({ email }).where('email', '=', accomplice.email).execute()
    const owner = await it.enter(it.github, { ...person, id: `${person.id}7` })
    expect(owner).toMatchObject({ to: '/', user: { email: person.email, emailVerified: true } })
    const lost = await signedInAs(squatter)
    expect(lost.email).toMatch(new RegExp(`^${id}\\.[0-9a-f]{16}@unverified\\.invalid$`))
  })

  test('uses the clock that all instances share, not the machine’s', async () => {
    const { box } = it
    const off = days(2)
    box.stepClock(-off)
    onTestFinished(() => box.stepClock(off))
    const { person, screen } = await it.enter(it.discord)
    const until = instantOf((await sessionOf(person.email)).expires_at)
    expect(until).toBe(box.now() + sessionLife)
    it.github.person({ ...person, id: `${person.id}7` })
    expect(await linkAt(screen, '002_Github')).toMatchObject({ to: '/user' })
    expect(instantOf((await sessionOf(person.email)).expires_at)).toBe(until)
    // Cleaning up must not delete a sign-in that was started on a machine whose clock is an hour behind.
    box.stepClock(off + hours(1))
    onTestFinished(() => box.stepClock(-off - hours(1)))
    const back = await startAtProvider(screen, { provider: '001_Discord' })
    await cleanUpAccounts(box.context)
    expect(await returnFromProvider(screen, back)).toMatchObject({ to: '/' })
  })
})
