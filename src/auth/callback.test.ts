import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { dialects } from '../../test/databases.ts'
import { type FakeProvider, startFakeDiscord, startFakeGithub } from '../../test/fake-providers.ts'
import { browser, createPerson, startSession } from '../../test/people.ts'
import { comeBack, goThere, linkAt, refusedTo, signInAt } from '../../test/round-trip.ts'
import { type Toolbox, toolbox } from '../../test/toolbox.ts'
import { Blocked } from '../shared/user.ts'
import { type Refusal, sentenceOf } from './refusal.ts'

const labels: Record<string, string> = { '001_Discord': 'Discord', '002_Github': 'GitHub' }
let addresses = 0
/** Nobody shares an address, so no limit that counts by address is met. */
const address = () => `198.51.${100 + (addresses >> 8)}.${addresses++ & 255}`

describe.each(dialects)('coming back from a provider on %s', (dialect) => {
  let box: Toolbox
  let fakes: FakeProvider[]
  beforeAll(async () => {
    fakes = [await startFakeDiscord(), await startFakeGithub()]
    box = await toolbox(dialect, { ...fakes[0]!.env, ...fakes[1]!.env }, { patience: 300 })
    // Better Auth looks at sessions by the real clock.
    box.pass(Date.now() - box.now())
  })
  afterAll(async () => {
    await box.close()
    for (const fake of fakes) await fake.close()
  })
  afterEach(() => {
    for (const fake of fakes) fake.mode('works')
  })

  const visitor = () => browser(box.app, address())
  let people = 0
  const somebody = () => {
    people += 1
    return { id: String(1_000 + people), username: `octo${people}`, email: `octo${people}@example.com`, verified: true }
  }
  const refusal = (why: Refusal, fake: FakeProvider) => ({
    status: 302,
    to: refusedTo,
    told: sentenceOf(why, labels[fake.id]!),
  })
  const linksOf = (accountId: string) =>
    box.db.q.selectFrom('provider_links').selectAll().where('account_id', '=', accountId).execute()
  const signedInAs = async (screen: ReturnType<typeof browser>) => (await screen.get('/api/v1/auth/session')).body.user

  test('both providers are offered by their names', async () => {
    expect((await visitor().get('/api/v1/auth/providers')).body).toEqual([
      { id: '001_Discord', name: 'Discord' },
      { id: '002_Github', name: 'GitHub' },
    ])
  })

  describe.each([0, 1])('(provider %i)', (which) => {
    const the = () => fakes[which]!

    test('makes a user without any role, signs in and goes where it was wanted', async () => {
      const person = { ...somebody(), name: 'Octo Cat' }
      the().person(person)
      const screen = visitor()
      expect(await signInAt(screen, the().id, '/tools/keepalive?x=%C3%A4#y')).toEqual({
        status: 302,
        to: '/tools/keepalive?x=%C3%A4#y',
        told: undefined,
      })
      const link = { providerId: the().id, accountId: person.id, accountUsername: person.username }
      expect(await signedInAs(screen)).toMatchObject({
        name: 'Octo Cat',
        email: person.email,
        roles: { Admin: 0, Tools: 0 },
        providers: [link],
      })
    })

    test('keeps no token, and follows a renamed account', async () => {
      const person = somebody()
      the().person(person)
      const screen = visitor()
      await signInAt(screen, the().id)
      the().person({ ...person, username: `${person.username}-renamed` })
      await signInAt(visitor(), the().id)
      expect(await linksOf(person.id)).toMatchObject([
        {
          account_username: `${person.username}-renamed`,
          access_token: null,
          refresh_token: null,
          id_token: null,
          scope: null,
        },
      ])
      const row = await box.db.q
        .selectFrom('users')
        .select('log_in_count')
        .where('email', '=', person.email)
        .executeTakeFirst()
      expect(row?.log_in_count).toBe(2)
    })

    test('a link keeps no token either', async () => {
      const me = await createPerson(box.kit)
      const { cookie } = await startSession(box.kit, box.auth, me)
      const person = somebody()
      the().person(person)
      const screen = browser(box.app, address(), cookie)
      expect(await linkAt(screen, the().id)).toEqual({ status: 302, to: '/user', told: undefined })
      expect(await linkAt(screen, the().id)).toEqual({ status: 302, to: '/user', told: undefined })
      expect(await linksOf(person.id)).toMatchObject([
        { user_id: me.id, access_token: null, refresh_token: null, id_token: null, scope: null },
      ])
    })

    test('says what went wrong when the person says no, the code has run out or the provider fails', async () => {
      const person = somebody()
      the().person(person)
      const cases = [
        ['denied', 'token', 'denied'],
        ['expired', 'token', 'spent'],
        ['broken', 'token', 'trouble'],
        ['broken', 'user', 'trouble'],
        ['garbage', 'token', 'trouble'],
        ['garbage', 'user', 'trouble'],
        ['slow', 'token', 'trouble'],
        ['slow', 'user', 'trouble'],
        ['mute', 'token', 'noEmail'],
      ] as const
      for (const [mode, place, why] of cases) {
        the().mode(mode, place)
        const screen = visitor()
        expect(await signInAt(screen, the().id), `${mode} ${place}`).toEqual(refusal(why, the()))
        expect(screen.jar.has('toolbox.session_token')).toBe(false)
      }
      expect(await linksOf(person.id)).toEqual([])
    })

    test('refuses a callback that is replayed, in this browser and in another', async () => {
      the().person(somebody())
      const screen = visitor()
      const back = await goThere(screen, { provider: the().id })
      const kept = Object.fromEntries(screen.jar)
      expect((await comeBack(screen, back)).to).toBe('/')
      expect(await comeBack(screen, back)).toEqual(refusal('stale', the()))
      expect(await comeBack(browser(box.app, address(), kept), back)).toEqual(refusal('stale', the()))
    })

    test('refuses a callback in another browser than the one that began, and does not use it up', async () => {
      const person = somebody()
      the().person(person)
      const screen = visitor()
      const back = await goThere(screen, { provider: the().id })
      const other = visitor()
      expect(await comeBack(other, back)).toEqual(refusal('stale', the()))
      await goThere(other, { provider: the().id })
      expect(await comeBack(other, back)).toEqual(refusal('stale', the()))
      expect(await linksOf(person.id)).toEqual([])
      expect((await comeBack(screen, back)).to).toBe('/')
    })

    test('refuses a state that is wrong, missing or twice, and a code that is missing', async () => {
      the().person(somebody())
      for (const spoil of [
        (back: string) => back.replace(/state=[^&]+/, 'state=made-up'),
        (back: string) => back.replace(/state=[^&]+/, ''),
        (back: string) => back.replace(/state=([^&]+)/, 'state=$1&state=$1'),
        (back: string) => back.replace(/code=[^&]+/, ''),
        (back: string) => back.replace(/code=[^&]+/, 'code=made-up'),
        (back: string) => back.replace('/api/', '/%61pi/'),
      ]) {
        const screen = visitor()
        const ending = await comeBack(screen, spoil(await goThere(screen, { provider: the().id })))
        expect(ending).toMatchObject({ status: 302, to: refusedTo, told: expect.any(String) })
        expect(screen.jar.has('toolbox.session_token')).toBe(false)
      }
    })
  })

  test('the words of a refusal lie in a cookie that pages can read for a minute', async () => {
    const { headers } = await visitor().get('/api/auth/callback/001_Discord?state=x&code=y')
    const cookie = [headers['set-cookie']].flat().find((line) => line?.startsWith('toolbox.refusal='))
    expect(cookie).toContain(encodeURIComponent(sentenceOf('stale', 'Discord')))
    expect(cookie?.split('; ').slice(1).sort()).toEqual(['Max-Age=60', 'Path=/', 'SameSite=Lax'])
  })

  test('a provider that nobody set up is refused in words too', async () => {
    expect(await comeBack(visitor(), '/api/auth/callback/004_Nobody?state=x&code=y')).toEqual({
      status: 302,
      to: refusedTo,
      told: sentenceOf('notOffered', ''),
    })
  })

  test('whoever gets in later is not told any more why it failed', async () => {
    const screen = visitor()
    await comeBack(screen, '/api/auth/callback/001_Discord?state=x&code=y')
    fakes[0]!.person(somebody())
    const back = await goThere(screen, { provider: '001_Discord' })
    await screen.get(back)
    expect(screen.jar.has('toolbox.refusal')).toBe(false)
  })

  test('a state of one provider is of no use at the other', async () => {
    const person = somebody()
    for (const fake of fakes) fake.person(person)
    const screen = visitor()
    const back = await goThere(screen, { provider: '001_Discord' })
    const ending = await comeBack(screen, back.replace('001_Discord', '002_Github'))
    expect(ending).toEqual(refusal('spent', fakes[1]!))
    expect(await linksOf(person.id)).toEqual([])
  })

  test('a failure of ours ends on the same page, and is logged', async () => {
    const person = somebody()
    fakes[1]!.person(person)
    const screen = visitor()
    const back = await goThere(screen, { provider: '002_Github' })
    const { transaction } = box.db.q
    box.db.q.transaction = () => {
      throw new Error('made for the test')
    }
    const ending = await comeBack(screen, back).finally(() => {
      box.db.q.transaction = transaction
    })
    expect(ending).toEqual(refusal('failed', fakes[1]!))
  })

  test('only goes on to paths of this site', async () => {
    for (const callbackURL of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      '/.//evil.example',
      '/%2fevil.example',
      'javascript:alert(1)',
      ' /user',
    ]) {
      const { status, body } = await visitor().post('/api/auth/sign-in/social', {
        provider: '001_Discord',
        callbackURL,
      })
      expect([status, Object.keys(body.fields ?? {})], JSON.stringify(callbackURL)).toEqual([400, ['callbackURL']])
    }
  })

  test('a wanted path beyond ASCII is gone to all the same', async () => {
    fakes[0]!.person(somebody())
    expect((await signInAt(visitor(), '001_Discord', '/user?name=Zoë')).to).toBe('/user?name=Zo%C3%AB')
  })

  test('nobody who is signed out begins a link, and an API key neither', async () => {
    const { status } = await visitor().post('/api/auth/link-social', { provider: '001_Discord', callbackURL: '/user' })
    expect(status).toBe(401)
  })

  test('links nothing when somebody else is signed in on return, or nobody', async () => {
    const [me, other] = [await createPerson(box.kit), await createPerson(box.kit)]
    const person = somebody()
    fakes[1]!.person(person)
    const session = await startSession(box.kit, box.auth, me)
    for (const after of [(await startSession(box.kit, box.auth, other)).cookie, undefined]) {
      const screen = browser(box.app, address(), session.cookie)
      const back = await goThere(screen, { provider: '002_Github', callbackURL: '/user' }, 'link-social')
      screen.jar.delete(box.auth.cookie.name)
      for (const [name, value] of Object.entries(after ?? {})) screen.jar.set(name, value)
      expect(await comeBack(screen, back)).toEqual(refusal('notSignedIn', fakes[1]!))
    }
    expect(await linksOf(person.id)).toEqual([])
  })

  test('a user who was blocked between the two ways gets no session', async () => {
    const person = somebody()
    fakes[0]!.person(person)
    await signInAt(visitor(), '001_Discord')
    const screen = visitor()
    const back = await goThere(screen, { provider: '001_Discord' })
    await box.db.q.updateTable('users').set({ status: Blocked }).where('email', '=', person.email).execute()
    expect(await comeBack(screen, back)).toEqual(refusal('blocked', fakes[0]!))
  })

  test('one newcomer in several windows at once becomes one user', async () => {
    const person = somebody()
    fakes[1]!.person(person)
    const screens = Array.from({ length: 4 }, visitor)
    const backs = await Promise.all(screens.map((screen) => goThere(screen, { provider: '002_Github' })))
    const endings = await Promise.all(screens.map((screen, n) => comeBack(screen, backs[n]!)))
    expect(endings.map(({ to }) => to)).toEqual(['/', '/', '/', '/'])
    expect(await linksOf(person.id)).toHaveLength(1)
    const users = await box.db.q.selectFrom('users').select('id').where('email', '=', person.email).execute()
    expect(users).toHaveLength(1)
  })

  test('the e-mail of a GitHub profile counts for nothing, the primary one is found on any page', async () => {
    const person = somebody()
    const moreEmails = Array.from({ length: 120 }, (_, n) => `more${n}@example.com`)
    fakes[1]!.person({ ...person, publicEmail: 'somebody.else@example.com', moreEmails })
    const screen = visitor()
    await signInAt(screen, '002_Github')
    expect((await signedInAs(screen)).email).toBe(person.email)
  })

  test('signing up and linking stand in the audit log', async () => {
    const person = somebody()
    fakes[0]!.person(person)
    const screen = visitor()
    await signInAt(screen, '001_Discord')
    fakes[1]!.person({ ...person, id: '77' })
    await linkAt(screen, '002_Github')
    const { id } = await signedInAs(screen)
    const rows = await box.db.q.selectFrom('audit').selectAll().where('target_id', '=', id).orderBy('action').execute()
    expect(rows.map(({ action, actor, actor_id }) => [action, actor, actor_id])).toEqual([
      ['provider.link', person.email, id],
      ['user.signup', person.email, id],
    ])
    expect(rows[0]?.changes).toContain(`002_Github ${person.username}`)
    expect(rows[0]?.address).toMatch(/^198\.51\./)
  })
})
