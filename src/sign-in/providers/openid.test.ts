import { pino } from 'pino'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type Behaviour, startFakeOpenId } from '../../../test/support/fakes/fake-openid.ts'
import { createPerson, startSession } from '../../../test/support/people.ts'
import {
  boxWithProviders,
  linkAt,
  refusalPath,
  returnFromProvider,
  startAtProvider,
} from '../../../test/support/scenes/round-trip.ts'
import { idTokens } from '../../../test/support/sign-in-cases.ts'
import { minutes } from '../../shared/time.ts'
import { refusalMessage } from './refusal.ts'

const id = '004_OIDC'
const inSeconds = (at: number) => Math.floor(at / 1_000)

describe('signing in with an OpenID provider', async () => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
  const fake = await startFakeOpenId()
  const it = await boxWithProviders('sqlite', { ...fake.env, OIDC_NAME: 'Our Login' }, undefined, { log })
  afterAll(async () => {
    await it.close()
    await fake.close()
  })
  beforeEach(() => {
    lines.length = 0
    fake.behave()
    fake.mode('works')
  })
  const signIn = () => it.enter(fake)
  const trouble = refusalMessage('trouble', 'Our Login')

  test('offers the provider by name, with the issuer as the URL of profiles', async () => {
    const screen = it.visitor()
    expect((await screen.get('/api/v1/auth/providers')).body).toContainEqual({ id, name: 'Our Login' })
    expect((await screen.get('/api/v1/config')).body.profiles[id]).toEqual({ name: 'Our Login', url: fake.url })
  })

  test('sends state, PKCE, nonce and scopes to the provider', async () => {
    const { body } = await it.visitor().post('/api/auth/sign-in/social', { provider: id, callbackURL: '/' })
    const { origin, pathname, searchParams } = new URL(body.url)
    expect(origin + pathname).toBe(`${fake.url}/authorize`)
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: 'toolbox-client',
      state: expect.stringMatching(/^.{20,}$/),
      nonce: expect.stringMatching(/^.{20,}$/),
      scope: 'openid email profile',
      redirect_uri: expect.stringMatching(/\/api\/auth\/callback\/004_OIDC$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  test('accounts can be linked, and unlinked unless no working sign-in method would remain', async () => {
    const me = await createPerson(it.box.context)
    const person = it.somebody()
    fake.person(person)
    const screen = it.visitor((await startSession(it.box.context, it.box.auth, me)).cookie)
    expect(await linkAt(screen, id)).toEqual({ status: 302, to: '/user', error: undefined })
    const [link] = await it.linksOf(fake.accountId(person.id))
    expect(link).toMatchObject({ user_id: me.id })
    // An account of another issuer can't sign in any more.
    await it.box.db.q
      .updateTable('provider_links')
      .set({ account_id: 'https://old.example.com#7' })
      .where('id', '=', link!.id)
      .execute()
    it.discord.person(it.somebody())
    await linkAt(screen, '001_Discord')
    const { providers } = (await screen.get('/api/v1/auth/session')).body.user
    const { accountId } = providers.find(({ providerId }: { providerId: string }) => providerId === '001_Discord')
    const unlink = (providerId: string, account: string) =>
      screen.delete(`/api/v1/user/provider?providerId=${providerId}&accountId=${encodeURIComponent(account)}`)
    expect((await unlink('001_Discord', accountId)).status).toBe(409)
    expect((await unlink(id, 'https://old.example.com#7')).status).toBe(200)
  })

  const now = inSeconds(Date.now())
  const kinds: Record<string, [Partial<Behaviour>, note?: string]> = {
    'of another issuer': [{ claims: { iss: 'https://evil.example.com' } }, '\\"iss\\"'],
    'for another client': [{ claims: { aud: 'another' } }, '\\"aud\\"'],
    'for several clients, and not issued to us': [{ claims: { aud: ['toolbox-client', 'another'] } }, '\\"azp\\"'],
    'for several clients, and issued to us': [
      { claims: { aud: ['toolbox-client', 'another'], azp: 'toolbox-client' } },
    ],
    'issued to another client': [{ claims: { azp: 'another' } }, '\\"azp\\"'],
    'expired for more than a minute': [{ claims: { exp: now - 61 } }, '\\"exp\\"'],
    'expired for less than a minute': [{ claims: { iat: now + 30, nbf: now + 30, exp: now - 10 } }],
    'without an end': [{ claims: { exp: undefined } }, '\\"exp\\"'],
    'not valid yet': [{ claims: { nbf: now + 900 } }, '\\"nbf\\"'],
    'for another visit': [{ claims: { nonce: 'another' } }, '\\"nonce\\"'],
    'without a nonce': [{ claims: { nonce: undefined } }, '\\"nonce\\"'],
    'without a subject': [{ claims: { sub: undefined } }, '\\"sub\\"'],
    'with an empty subject': [{ claims: { sub: '' } }, '\\"sub\\"'],
    'with a number as its subject': [{ claims: { sub: 7 } }, '\\"sub\\"'],
    'without a signature': [{ signedBy: 'nobody' }, '\\"alg\\"'],
    "signed with the client's secret": [{ signedBy: 'secret' }, '\\"alg\\"'],
    'signed by somebody else': [{ signedBy: 'stranger' }, 'signature verification failed'],
    "that can't be read": [{ idToken: 'garbage' }, 'the ID token'],
    missing: [{ idToken: 'missing' }, 'without an ID token'],
    encrypted: [{ idToken: 'encrypted' }, 'the ID token is encrypted'],
  }
  test('the documentation lists every kind of ID token tested here', () => {
    expect(idTokens.map(({ kind }) => kind).sort()).toEqual(Object.keys(kinds).sort())
  })
  test.each(idTokens)('an ID token $kind is $outcome', async ({ kind, outcome }) => {
    const [behaviour = {}, note = 'no reason'] = kinds[kind] ?? []
    fake.behave(behaviour)
    const { person, error, user } = await signIn()
    const links = await it.linksOf(fake.accountId(person.id))
    if (outcome === 'accepted') return expect([error, user, links.length]).toEqual([undefined, expect.anything(), 1])
    expect([error, user, links]).toEqual([trouble, null, []])
    expect(lines.join()).toContain(note)
  })

  test('rejects userinfo about another user', async () => {
    fake.behave({ userInfo: { sub: 'another' } })
    expect(await signIn()).toMatchObject({ error: trouble, user: null })
    expect(lines.join()).toContain("another user's claims")
  })

  test('accepts signed userinfo only with the provider’s keys and our client as audience', async () => {
    fake.behave({ userInfoAs: 'token' })
    const { person, user } = await signIn()
    expect(user).toMatchObject({ email: person.email, emailVerified: true })
    for (const wrong of [{ userInfoAs: 'stranger' }, { userInfoAs: 'token', userInfo: { aud: 'another' } }] as const) {
      fake.behave(wrong)
      expect(await signIn()).toMatchObject({ error: trouble, user: null })
    }
  })

  test('a proof requests the credentials again, and counts only if the provider confirms their entry', async () => {
    const { screen } = await signIn()
    it.box.pass(minutes(10))
    const at = inSeconds(it.box.now())
    const begin = { provider: id, callbackURL: '/auth/proved', prove: true }
    const { body } = await screen.post('/api/auth/link-social', begin)
    expect(Object.fromEntries(new URL(body.url).searchParams)).toMatchObject({ prompt: 'login', max_age: '0' })
    const newKey = () => screen.post('/api/v1/user/apikeys', { name: 'key', scopes: ['read'], expiresAt: null })
    const proveWith = async (auth_time: unknown) => {
      fake.behave({ claims: { exp: at + 300, auth_time } })
      return returnFromProvider(screen, await startAtProvider(screen, begin, 'link-social'))
    }
    for (const authTime of [undefined, at - 600, `${at}`]) {
      expect((await proveWith(authTime)).error, `${authTime}`).toBe(refusalMessage('notAgain', 'Our Login'))
      expect((await newKey()).status).toBe(403)
    }
    expect(await proveWith(at)).toMatchObject({ to: '/auth/proved', error: undefined })
    expect((await newKey()).status).toBe(201)
    it.box.pass(-minutes(10))
  })

  test('accepts only the announced algorithms, and reads a new one from the discovery document on its first use', async () => {
    const algorithm = (name: 'RS256' | 'ES256') => ({ document: { id_token_signing_alg_values_supported: [name] } })
    fake.behave(algorithm('RS256'))
    const other = await boxWithProviders('sqlite', fake.env)
    const enter = () => other.enter(fake)
    expect(await enter()).toMatchObject({ to: '/' })
    await fake.rotate('ES256')
    expect(await enter()).toMatchObject({ to: refusalPath })
    fake.behave(algorithm('ES256'))
    expect(await enter()).toMatchObject({ to: '/' })
    await fake.rotate()
    await other.close()
  })

  test('logs the provider’s error description and never shows it', async () => {
    fake.mode('denied')
    expect((await signIn()).error).toBe(refusalMessage('denied', 'Our Login'))
    expect(lines.join()).toContain('access_denied: The user has denied your application access.')
    fake.behave({ secretIn: 'form' })
    fake.mode('works')
    expect((await signIn()).error).toBe(trouble)
    expect(lines.join()).toContain('invalid_client: Client authentication failed.')
  })

  test('fetches a new key on its first use, and retries only once for a wrong key', async () => {
    await signIn()
    for (const alg of ['RS256', 'ES256'] as const) {
      const before = fake.requestCount('/keys')
      await fake.rotate(alg)
      expect((await signIn()).user).not.toBeNull()
      expect((await signIn()).user).not.toBeNull()
      expect(fake.requestCount('/keys')).toBe(before + 1)
    }
    const before = fake.requestCount('/keys')
    fake.behave({ signedBy: 'stranger' })
    expect((await signIn()).error).toBe(trouble)
    expect(fake.requestCount('/keys')).toBe(before + 1)
    fake.behave({ claims: { exp: now + 3_600 } })
    it.box.pass(minutes(10))
    expect((await signIn()).user).not.toBeNull()
    expect(fake.requestCount('/keys')).toBe(before + 2)
    it.box.pass(-minutes(10))
  })

  test('rejects a callback that names another issuer', async () => {
    fake.behave({ returned: 'https://evil.example.com' })
    expect(await signIn()).toMatchObject({ error: trouble, user: null })
    fake.behave({ returned: fake.url })
    expect((await signIn()).user).not.toBeNull()
  })
})

describe('reaching an OpenID provider', () => {
  test('an outage affects no other provider, and ends once the provider responds', async () => {
    const fake = await startFakeOpenId()
    fake.behave({ document: { authorization_response_iss_parameter_supported: true } })
    fake.mode('broken', 'document')
    const it = await boxWithProviders('sqlite', fake.env)
    const begin = () => it.visitor().post('/api/auth/sign-in/social', { provider: id, callbackURL: '/' })
    expect(await begin()).toMatchObject({ status: 503, body: { error: refusalMessage('trouble', 'OpenID') } })
    expect(await it.enter(it.discord)).toMatchObject({ to: '/' })
    fake.mode('works')
    expect((await begin()).status).toBe(200)
    // The provider announces that each callback names its issuer, but sends none.
    expect(await it.enter(fake)).toMatchObject({ error: refusalMessage('trouble', 'OpenID') })
    await it.close()
    await fake.close()
  })

  test('the issuer may have a private address, but endpoints on other origins may not', async () => {
    const [fake, elsewhere] = [await startFakeOpenId(), await startFakeOpenId()]
    const it = await boxWithProviders('sqlite', { ...fake.env, ALLOW_PRIVATE_CIDRS: '10.0.0.0/8' })
    expect(await it.enter(fake)).toMatchObject({ to: '/' })
    await it.close()
    fake.behave({ document: { jwks_uri: `${elsewhere.url}/keys` } })
    const other = await boxWithProviders('sqlite', { ...fake.env, ALLOW_PRIVATE_CIDRS: '10.0.0.0/8' })
    expect(await other.enter(fake)).toMatchObject({ error: refusalMessage('trouble', 'OpenID') })
    expect(elsewhere.requestCount('/keys')).toBe(0)
    await other.close()
    await fake.close()
    await elsewhere.close()
  })
})
