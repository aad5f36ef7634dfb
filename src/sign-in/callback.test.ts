import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { startFakeOpenId } from '../../test/support/fakes/fake-openid.ts'
import type { FakeProvider } from '../../test/support/fakes/fake-providers.ts'
import { browser, createPerson, startSession } from '../../test/support/people.ts'
import {
  boxWithProviders,
  labelOf,
  refusalPath,
  returnFromProvider,
  signInAt,
  startAtProvider,
} from '../../test/support/scenes/round-trip.ts'
import { seconds } from '../shared/time.ts'
import { Blocked } from '../shared/user.ts'
import { type Refusal, refusalMessage } from './providers/refusal.ts'

const refusal = (why: Refusal, fake: FakeProvider) => ({
  status: 302,
  to: refusalPath,
  error: refusalMessage(why, labelOf(fake)),
})

describe.each(dialects)('returning from a provider on %s', async (dialect) => {
  const openid = await startFakeOpenId()
  const it = await boxWithProviders(dialect, openid.env)
  const fakes = { discord: it.discord, github: it.github, openid }
  afterAll(async () => {
    await it.close()
    await openid.close()
  })
  afterEach(() => {
    for (const fake of Object.values(fakes)) fake.mode('works')
  })

  test('allows 40 attempts per ten seconds and address, whether spread evenly or in a burst', async () => {
    const begin = (at: string) =>
      browser(it.box.app, at).post('/api/auth/sign-in/social', { provider: it.discord.id, callbackURL: '/' })
    const statuses: number[] = []
    for (let n = 0; n < 81; n++) {
      statuses.push((await begin('192.0.2.201')).status)
      it.box.pass(seconds(10) / 40)
    }
    expect(statuses).toEqual(statuses.map(() => 200))
    for (let n = 0; n < 40; n++) await begin('192.0.2.202')
    expect(await begin('192.0.2.202')).toMatchObject({ status: 429, headers: { 'retry-after': '10' } })
    expect((await begin('192.0.2.203')).status).toBe(200)
    it.box.pass(seconds(10))
    expect((await begin('192.0.2.202')).status).toBe(200)
  })

  test('shows why it failed when the provider answers too late', async () => {
    const impatient = await boxWithProviders(dialect, {}, 300)
    for (const fake of impatient.fakes) {
      fake.person(impatient.somebody())
      for (const place of ['token', 'user'] as const) {
        fake.mode('slow', place)
        expect(await signInAt(impatient.visitor(), fake.id), place).toEqual(refusal('trouble', fake))
      }
    }
    await impatient.close()
  })

  describe.each(['discord', 'github', 'openid'] as const)('(%s)', (which) => {
    const fake = fakes[which]

    test('shows why it failed when the user declines, the code has expired or the provider fails', async () => {
      const person = it.somebody()
      fake.person(person)
      const cases = [
        ['denied', 'token', 'denied'],
        ['expired', 'token', 'spent'],
        ['broken', 'token', 'trouble'],
        ['broken', 'user', 'trouble'],
        ['garbage', 'token', 'trouble'],
        ['garbage', 'user', 'trouble'],
        ['mute', 'token', 'noEmail'],
      ] as const
      for (const [mode, place, why] of cases) {
        fake.mode(mode, place)
        const screen = it.visitor()
        expect(await signInAt(screen, fake.id), `${mode} ${place}`).toEqual(refusal(why, fake))
        expect(screen.jar.has('toolbox-3000.session_token')).toBe(false)
      }
      expect(await it.linksOf(fake.accountId(person.id))).toEqual([])
    })

    test('redirects a reloaded callback to the home page, and rejects it in another browser', async () => {
      fake.person(it.somebody())
      const screen = it.visitor()
      const back = await startAtProvider(screen, { provider: fake.id })
      const cookies = Object.fromEntries(screen.jar)
      expect((await returnFromProvider(screen, back)).to).toBe('/')
      expect(await returnFromProvider(screen, back)).toEqual({ status: 302, to: '/', error: undefined })
      const other = await startAtProvider(screen, { provider: fake.id })
      expect(await returnFromProvider(screen, other.replace(/state=[^&]+/, 'state=made-up'))).toEqual(
        refusal('stale', fake),
      )
      expect(await returnFromProvider(it.visitor(cookies), back)).toEqual(refusal('stale', fake))
      screen.jar.delete(it.box.auth.cookie.name)
      expect(await returnFromProvider(screen, back)).toEqual(refusal('stale', fake))
    })

    test('accepts only one of several concurrent callbacks, even if the provider accepts every code', async () => {
      fake.person(it.somebody())
      fake.mode('lenient')
      const screen = it.visitor()
      const back = await startAtProvider(screen, { provider: fake.id })
      const cookies = Object.fromEntries(screen.jar)
      const endings = await Promise.all([1, 2, 3].map(() => returnFromProvider(it.visitor(cookies), back)))
      expect(endings.filter(({ to }) => to === '/')).toHaveLength(1)
      expect(endings.filter(({ to }) => to === refusalPath)).toHaveLength(2)
    })

    test('rejects a callback in another browser, and keeps it valid for the browser that started it', async () => {
      const person = it.somebody()
      fake.person(person)
      const screen = it.visitor()
      const back = await startAtProvider(screen, { provider: fake.id })
      const other = it.visitor()
      expect(await returnFromProvider(other, back)).toEqual(refusal('stale', fake))
      await startAtProvider(other, { provider: fake.id })
      expect(await returnFromProvider(other, back)).toEqual(refusal('stale', fake))
      expect(await it.linksOf(fake.accountId(person.id))).toEqual([])
      expect((await returnFromProvider(screen, back)).to).toBe('/')
    })

    test('rejects a state that was issued for another provider', async () => {
      const person = it.somebody()
      for (const one of Object.values(fakes)) one.person(person)
      const screen = it.visitor()
      const other = which === 'discord' ? it.github : it.discord
      const back = await startAtProvider(screen, { provider: other.id })
      expect(await returnFromProvider(screen, back.replace(other.id, fake.id))).toEqual(refusal('stale', fake))
      expect(await it.linksOf(fake.accountId(person.id))).toEqual([])
    })

    test('rejects a wrong, missing or repeated state, and a missing or made-up code', async () => {
      fake.person(it.somebody())
      for (const spoil of [
        (back: string) => back.replace(/state=[^&]+/, 'state=made-up'),
        (back: string) => back.replace(/state=[^&]+/, ''),
        (back: string) => back.replace(/state=([^&]+)/, 'state=$1&state=$1'),
        (back: string) => back.replace(/code=[^&]+/, ''),
        (back: string) => back.replace(/code=[^&]+/, 'code=made-up'),
        (back: string) => back.replace('/api/', '/%61pi/'),
      ]) {
        const screen = it.visitor()
        const ending = await returnFromProvider(screen, spoil(await startAtProvider(screen, { provider: fake.id })))
        expect(ending).toMatchObject({ status: 302, to: refusalPath, error: expect.any(String) })
        expect(screen.jar.has('toolbox-3000.session_token')).toBe(false)
      }
    })
  })

  test('concurrent sign-ins in several tabs finish, except the oldest beyond the limit', async () => {
    it.discord.person(it.somebody())
    const screen = it.visitor()
    const back: string[] = []
    for (let tab = 0; tab < 10; tab += 1) back.push(await startAtProvider(screen, { provider: it.discord.id }))
    expect([...screen.jar.keys()].filter((name) => name.includes('state'))).toHaveLength(9)
    for (const place of [back.at(-1)!, back.at(-2)!])
      expect(await returnFromProvider(screen, place), place).toEqual({ status: 302, to: '/' })
    expect(await returnFromProvider(screen, back[0]!)).toEqual(refusal('stale', it.discord))
  })

  test('shows our own message for any error that the provider returns', async () => {
    for (const [error, why] of [
      ['server_error', 'trouble'],
      ['redirect_uri_mismatch', 'trouble'],
      ['constructor', 'failed'],
      ['<b>pay here</b>', 'failed'],
    ] as const) {
      const screen = it.visitor()
      const back = await startAtProvider(screen, { provider: '002_Github' })
      const spoiled = back.replace(/code=[^&]+/, new URLSearchParams({ error, error_description: error }).toString())
      expect(await returnFromProvider(screen, spoiled)).toEqual(refusal(why, it.github))
    }
  })

  test('shows a message for a provider that is not configured', async () => {
    const ending = await returnFromProvider(it.visitor(), '/api/auth/callback/004_Nobody?state=x&code=y')
    expect(ending).toEqual({ status: 302, to: refusalPath, error: refusalMessage('notOffered') })
  })

  test('redirects to the same page with a message after an internal error', async () => {
    it.github.person(it.somebody())
    const screen = it.visitor()
    const back = await startAtProvider(screen, { provider: '002_Github' })
    const { transaction } = it.box.db.q
    it.box.db.q.transaction = () => {
      throw new Error('made for the test')
    }
    const ending = await returnFromProvider(screen, back).finally(() => {
      it.box.db.q.transaction = transaction
    })
    expect(ending).toEqual(refusal('failed', it.github))
  })

  test('a user who is blocked during the sign-in gets no session', async () => {
    const { person } = await it.enter(it.discord)
    const screen = it.visitor()
    const back = await startAtProvider(screen, { provider: '001_Discord' })
    await it.box.db.q.updateTable('users').set({ status: Blocked }).where('email', '=', person.email).execute()
    expect(await returnFromProvider(screen, back)).toEqual(refusal('blocked', it.discord))
  })

  test('links no account if another user or no user is signed in on return', async () => {
    const [me, other] = [await createPerson(it.box.context), await createPerson(it.box.context)]
    const person = it.somebody()
    it.github.person(person)
    const session = await startSession(it.box.context, it.box.auth, me)
    for (const after of [(await startSession(it.box.context, it.box.auth, other)).cookie, undefined]) {
      const screen = it.visitor(session.cookie)
      const back = await startAtProvider(screen, { provider: '002_Github', callbackURL: '/user' }, 'link-social')
      screen.jar.delete(it.box.auth.cookie.name)
      for (const [name, value] of Object.entries(after ?? {})) screen.jar.set(name, value)
      expect(await returnFromProvider(screen, back)).toEqual(refusal('notSignedIn', it.github))
    }
    expect(await it.linksOf(person.id)).toEqual([])
  })

  test('stores the error message in a cookie that pages can read for one minute', async () => {
    const { headers } = await it.visitor().get('/api/auth/callback/001_Discord?state=x&code=y')
    const cookie = [headers['set-cookie']].flat().find((line) => line?.startsWith('toolbox.refusal='))
    expect(cookie).toContain(encodeURIComponent(refusalMessage('stale', 'Discord')))
    expect(cookie?.split('; ').slice(1).sort()).toEqual(['Max-Age=60', 'Path=/', 'SameSite=Lax'])
  })

  test('deletes the error message on the next successful sign-in', async () => {
    const screen = it.visitor()
    await returnFromProvider(screen, '/api/auth/callback/001_Discord?state=x&code=y')
    it.discord.person(it.somebody())
    await screen.get(await startAtProvider(screen, { provider: '001_Discord' }))
    expect(screen.jar.has('toolbox.refusal')).toBe(false)
  })

  test('rejects callback URLs outside this site', async () => {
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
      'http://localhost:3001/user',
      'http://localhost:3000@evil.example/',
      'http://localhost:3000//evil.example',
      ' /user',
    ]) {
      const begin = { provider: '001_Discord', callbackURL }
      const { status, body } = await it.visitor().post('/api/auth/sign-in/social', begin)
      expect([status, Object.keys(body.fields ?? {})], JSON.stringify(callbackURL)).toEqual([400, ['callbackURL']])
    }
  })

  test('reduces a full URL of this site to its path', async () => {
    it.discord.person(it.somebody())
    const fullUrl = `${it.box.context.config.baseUrl}/user?tab=keys#new`
    expect((await signInAt(it.visitor(), '001_Discord', fullUrl)).to).toBe('/user?tab=keys#new')
  })

  test('redirects to a path with non-ASCII characters', async () => {
    it.discord.person(it.somebody())
    expect((await signInAt(it.visitor(), '001_Discord', '/user?name=Zoë')).to).toBe('/user?name=Zo%C3%AB')
  })
})

test('signing in with a provider works the same at an https address, where every cookie is Secure', async () => {
  const it = await boxWithProviders('sqlite', { BASE_URL: 'https://box.example.com' })
  try {
    it.github.person(it.somebody())
    const screen = it.visitor()
    expect((await signInAt(screen, '002_Github')).to).toBe('/')
    expect(screen.jar.has('__Host-toolbox.session_token')).toBe(true)
    const { headers } = await screen.get('/api/auth/callback/001_Discord?state=x&code=y')
    expect([headers['set-cookie']].flat().every((line) => line?.includes('; Secure'))).toBe(true)
    const other = it.visitor()
    const begin = () => other.post('/api/auth/sign-in/social', { provider: '001_Discord', callbackURL: '/' })
    for (let n = 0; n < 9; n += 1) await begin()
    const lines = [(await begin()).headers['set-cookie']].flat()
    expect(lines.filter((line) => line?.includes('Max-Age=0'))).toHaveLength(1)
    expect(lines.filter((line) => !line?.includes('; Secure'))).toEqual([])
  } finally {
    await it.close()
  }
})
