import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { startCertifiedOpenId } from '../../../test/support/fakes/certified-openid.ts'
import { boxWithProviders, returnFromProvider } from '../../../test/support/scenes/round-trip.ts'
import { minutes } from '../../shared/time.ts'

const id = '004_OIDC'
const provider = await startCertifiedOpenId('http://localhost:3000/api/auth/callback/004_OIDC')
const it = await boxWithProviders('sqlite', provider.env)
afterAll(async () => {
  await it.close()
  await provider.close()
})
beforeEach(async () => {
  // The provider logs that it keeps everything in memory, and for how long.
  for (const way of ['info', 'warn'] as const) vi.spyOn(console, way).mockImplementation(() => {})
  await provider.sign({ alg: 'RS256' })
})

/** A person with one browser for ToolBox and for the provider. */
function visitor() {
  const person = it.somebody()
  provider.person(person)
  const screen = it.visitor()
  const visit = provider.browser()
  const go = async (by: 'sign-in/social' | 'link-social', more: object) =>
    returnFromProvider(screen, await visit((await screen.post(`/api/auth/${by}`, { provider: id, ...more })).body.url))
  return {
    person,
    screen,
    signIn: () => go('sign-in/social', { callbackURL: '/' }),
    prove: () => go('link-social', { callbackURL: '/auth/proved', prove: true }),
    user: async () => (await screen.get('/api/v1/auth/session')).body.user,
  }
}

test('a certified provider signs a user in, and asks for no credentials while its own session lasts', async () => {
  const { person, screen, signIn, user } = visitor()
  expect(await signIn()).toMatchObject({ to: '/', error: undefined })
  const { id: userId, ...profile } = await user()
  expect(profile).toMatchObject({
    email: person.email,
    emailVerified: true,
    providers: [{ accountUsername: person.username }],
  })
  const before = provider.entered()
  await screen.post('/api/auth/sign-out', {})
  await signIn()
  expect([(await user()).id, provider.entered()]).toEqual([userId, before])
})

test('a proof requires the credentials to be entered again', async () => {
  const { screen, signIn, prove, user } = visitor()
  await signIn()
  const { q, timestamp } = it.box.db
  const long = { created_at: timestamp(it.box.now() - minutes(20)), proved_at: null }
  await q
    .updateTable('sessions')
    .set(long)
    .where('user_id', '=', (await user()).id)
    .execute()
  const newKey = async () =>
    (await screen.post('/api/v1/user/apikeys', { name: 'key', scopes: ['read'], expiresAt: null })).status
  expect(await newKey()).toBe(403)
  const before = provider.entered()
  expect(await prove()).toMatchObject({ to: '/auth/proved', error: undefined })
  expect([await newKey(), provider.entered()]).toEqual([201, before + 1])
})

test.each([
  { alg: 'ES256' as const },
  { alg: 'RS256' as const, signsUserInfo: true },
  { alg: 'ES256' as const, signsUserInfo: true },
])('a change in how the provider signs takes effect immediately: %j', async (signing) => {
  await visitor().signIn()
  await provider.sign(signing)
  const { person, signIn, user } = visitor()
  expect(await signIn()).toMatchObject({ to: '/', error: undefined })
  expect(await user()).toMatchObject({ email: person.email })
})
