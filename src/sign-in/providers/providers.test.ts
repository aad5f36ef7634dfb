import { afterAll, describe, expect, test } from 'vitest'
import { fakeWeb, type Reply } from '../../../test/support/fakes/fake-web.ts'
import { testOutbound } from '../../../test/support/outbound-client.ts'
import { createAsk, exchangeCode } from './ask.ts'
import { discord } from './discord.ts'
import { github } from './github.ts'

const client = { id: 'the id', secret: 'the secret' }
const json = (body: unknown, status = 200, headers = {}): Reply => ({ status, body: JSON.stringify(body), headers })

describe('responses of providers', async () => {
  const out = testOutbound()
  const ask = createAsk(out, 1_000)
  const web = await fakeWeb()
  afterAll(async () => {
    await out.close()
    await web.close()
  })
  const atDiscord = (answer: Reply) => {
    web.on('/api/v10/users/@me', answer)
    return discord(client, { discordUrl: web.origin }).identityOf(ask, 'a token')
  }
  const atGithub = (user: Reply, ...emails: Reply[]) => {
    web.on('/api/v3/user', user)
    web.on('/api/v3/user/emails', ...emails)
    return github(client, { githubUrl: web.origin, githubApiUrl: `${web.origin}/api/v3` }).identityOf(ask, 'a token')
  }
  const failed = (note: string) => ({ failed: 'trouble', note: expect.stringContaining(note) })
  const someone = { id: '80351110224678912', username: 'nelly' }
  const octocat = { id: 583231, login: 'octocat', name: 'The Octocat' }
  const primary = { email: 'Octo@Example.com', primary: true, verified: true, visibility: 'private' }
  const further = { email: 'more@example.com', primary: false, verified: true, visibility: null }

  test('Discord: an email counts as verified only if it is reported as verified', async () => {
    const verifiedBy = async (more: object) => (await atDiscord(json({ ...someone, ...more }))) as { email: unknown }
    const address = 'nelly@example.com'
    expect((await verifiedBy({ email: address, verified: true })).email).toEqual({ address, verified: true })
    for (const verified of [false, null, undefined])
      expect((await verifiedBy({ email: address, verified })).email).toEqual({ address, verified: false })
    for (const email of [null, undefined, '', 'not an address'])
      expect((await verifiedBy({ email, verified: true })).email).toBeUndefined()
  })

  test('an email that equals another one only after case folding or trimming is rejected', async () => {
    for (const email of [
      '\u212Aate@example.com',
      'kate@e\u017Fample.com',
      '\uFEFFkate@example.com',
      'kate@example.com\n',
    ]) {
      expect(await atDiscord(json({ ...someone, email, verified: true })), email).toMatchObject({ email: undefined })
      const emails = json([{ ...primary, email }])
      expect(await atGithub(json(octocat), emails), email).toMatchObject({ email: undefined })
    }
  })

  test('control characters are removed from display names, and rejected in account names', async () => {
    const named = (more: object) => atDiscord(json({ ...someone, ...more }))
    expect(await named({ global_name: 'Nel\u0000ly\r\nN.' })).toMatchObject({ name: 'Nel ly N.' })
    expect(await named({ global_name: 'Nel\u202ely\u2029N.' })).toMatchObject({ name: 'Nel ly N.' })
    expect(await named({ global_name: '\u0000' })).toMatchObject({ name: 'nelly' })
    for (const username of ['nel\u0000ly', 'nel\nly', '   ', ''])
      expect(await named({ username }), username).toEqual(failed('/users/@me'))
    expect(await atGithub(json({ ...octocat, login: 'octo\u0000cat' }))).toEqual(failed('/user'))
  })

  test('Discord: the name is the display name, or else the username, cut to our maximum length', async () => {
    expect(await atDiscord(json({ ...someone, global_name: ' Nelly N. ' }))).toMatchObject({ name: 'Nelly N.' })
    expect(await atDiscord(json({ ...someone, global_name: null }))).toMatchObject({ name: 'nelly' })
    const { name } = (await atDiscord(json({ ...someone, global_name: '🦑'.repeat(150) }))) as { name: string }
    expect(name).toBe('🦑'.repeat(100))
  })

  test('GitHub: the email is the primary one, in lower case, with its verification', async () => {
    const expected = { accountId: '583231', username: 'octocat', name: 'The Octocat' }
    expect(await atGithub(json(octocat), json([further, primary]))).toEqual({
      ...expected,
      email: { address: 'octo@example.com', verified: true },
    })
    expect(await atGithub(json(octocat), json([further, { ...primary, verified: false }]))).toEqual({
      ...expected,
      email: { address: 'octo@example.com', verified: false },
    })
    expect(await atGithub(json({ ...octocat, name: null }), json([further]))).toEqual({
      ...expected,
      name: 'octocat',
      email: undefined,
    })
  })

  test('GitHub: further pages of emails are read, up to a limit', async () => {
    const more = json([further], 200, { link: `<${web.origin}/anything>; rel="next"` })
    expect(await atGithub(json(octocat), more, json([primary]))).toMatchObject({ email: { verified: true } })
    expect(await atGithub(json(octocat), more)).toMatchObject({ email: undefined })
  })

  test('GitHub: without permission to read emails, there is no email', async () => {
    for (const status of [403, 404])
      expect(await atGithub(json(octocat), json({ message: 'Not Found' }, status))).toMatchObject({ email: undefined })
  })

  test('an undocumented response is reported as trouble, with a note for the log', async () => {
    for (const answer of [
      json({}),
      json([]),
      json({ ...someone, id: 12 }),
      json({ ...someone, id: 'x' }),
      'garbage',
    ] as const)
      expect(await atDiscord(answer)).toEqual(failed('/users/@me'))
    expect(await atDiscord(json({ ...someone, padding: 'x'.repeat(1_100_000) }))).toEqual(failed('/users/@me'))
    expect(await atDiscord(json(someone, 429))).toEqual(failed('answered 429'))
    expect(await atGithub(json({ message: 'Bad credentials' }, 401), json([primary]))).toEqual(failed('answered 401'))
    expect(await atGithub(json(octocat), json({ message: 'down' }, 503))).toEqual(failed('answered 503'))
    expect(await atGithub({ status: 302, headers: { location: '/elsewhere' } }, json([]))).toEqual(failed('302'))
  })

  test('a code is exchanged with the client secret and PKCE verifier, and refusals are distinguished', async () => {
    const provider = github(client, { githubUrl: web.origin, githubApiUrl: web.origin })
    const grant = { code: 'c', redirectURI: 'https://box.example.com/cb', codeVerifier: 'v' }
    const trade = (answer: Reply) => {
      web.on('/login/oauth/access_token', answer)
      return exchangeCode(ask, provider, grant)
    }
    expect(await trade(json({ access_token: 'abc', token_type: 'bearer' }))).toEqual({ token: 'abc' })
    const { method, headers, body } = web.visits.at(-1)!
    expect([method, headers.accept]).toEqual(['POST', 'application/json'])
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      grant_type: 'authorization_code',
      client_id: 'the id',
      client_secret: 'the secret',
      code: 'c',
      redirect_uri: 'https://box.example.com/cb',
      code_verifier: 'v',
    })
    expect(await trade(json({ error: 'bad_verification_code' }))).toMatchObject({ failed: 'spent' })
    expect(await trade(json({ error: 'invalid_grant' }, 400))).toMatchObject({ failed: 'spent' })
    expect(await trade(json({ error: 'incorrect_client_credentials' }))).toEqual(failed('incorrect_client_credentials'))
    expect(await trade(json({ access_token: 'abc' }, 500))).toEqual(failed('answered 500'))
    for (const answer of [json({ access_token: '' }), json({ access_token: 7 }), json('abc'), 'close'] as const)
      expect(await trade(answer)).toEqual(failed('access_token'))
  })
})
