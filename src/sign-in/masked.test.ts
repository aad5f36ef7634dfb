import { describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { fakeDiscord } from '../../test/support/fakes/fake-discord.ts'
import { fakeGithub } from '../../test/support/fakes/fake-github.ts'
import { keyed, signedIn } from '../../test/support/people.ts'
import { toolbox } from '../../test/support/toolbox.ts'

const relays = '/api/v1/herokudiscordwebhook'
const pages = '/api/v1/ghmdinvalidator'

describe.each(dialects)('secrets of entries on %s', (dialect) => {
  test('are masked for an API key that may not write, and what it read may be sent back', async () => {
    const [discord, github] = [await fakeDiscord(), await fakeGithub()]
    const box = await toolbox(dialect, { ...github.env, ...discord.env })
    const { screen } = await signedIn(box)
    const program = async (...scopes: string[]) => {
      const { body } = await screen.post('/api/v1/user/apikeys', { name: 'a', scopes, expiresAt: null })
      return keyed(box.app, body.key)
    }
    const reader = await program('read')
    const both = await program('read', 'write')
    const hook = discord.webhook()
    const relay = (await screen.post(relays, { discordHook: hook.url, status: false })).body
    const page = (await screen.post(pages, { url: github.page('/owner/page', []), status: false })).body
    const token = new URL(relay.herokuEndpoint).pathname.split('/').at(-1)!
    const secrets = [hook.token, relay.secret, token, new URL(page.hookUrl).pathname.split('/').at(-1)!]

    const seen = async (who: typeof reader) => {
      const paths = [`${relays}?id=${relay.id}`, `${pages}?id=${page.id}`]
      for (const base of [relays, pages]) paths.push(`${base}/list`, `${base}/list?page=1`, `${base}/recent`)
      const answers = await Promise.all(paths.map((path) => who.get(path)))
      expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200))
      const text = JSON.stringify(answers.map(({ body }) => body))
      return secrets.filter((secret) => text.includes(secret))
    }
    expect(await seen(reader)).toEqual([])
    expect(await seen(both)).toEqual(secrets)

    const { body: shown } = await reader.get(`${relays}?id=${relay.id}`)
    expect(shown).toMatchObject({
      discordHook: expect.stringMatching(/••••[\w-]{4}$/),
      secret: '••••••••••••••••',
      herokuEndpoint: expect.stringMatching(/\/hooks\/heroku\/••••[\w-]{4}$/),
    })
    const { status, body: saved } = await both.patch(relays, { ...shown, showActor: true })
    expect([status, saved]).toMatchObject([200, { discordHook: hook.url, secret: relay.secret, showActor: true }])
    const copied = await both.post(relays, { discordHook: hook.url, secret: shown.secret })
    expect([copied.status, Object.keys(copied.body.fields)]).toEqual([400, ['secret']])
    await screen.patch(relays, { id: relay.id, secret: null })
    expect((await reader.get(`${relays}?id=${relay.id}`)).body.secret).toBe(null)
    await box.close()
    await Promise.all([discord.close(), github.close()])
  })
})
