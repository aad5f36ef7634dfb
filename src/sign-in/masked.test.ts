import { describe, expect, test } from 'vitest'
import { dialects } from '../../test/support/database/databases.ts'
import { fakeDiscord } from '../../test/support/fakes/fake-discord.ts'
import { apiKeyClient, createSignedInPerson } from '../../test/support/people.ts'
import { toolbox } from '../../test/support/toolbox.ts'

const relays = '/api/v1/herokudiscordwebhook'

describe.each(dialects)('secrets of entries on %s', (dialect) => {
  test('are masked for a read-only API key, and masked values can be sent back unchanged', async () => {
    const discord = await fakeDiscord()
    const box = await toolbox(dialect, discord.env)
    const { screen } = await createSignedInPerson(box)
    const program = async (...scopes: string[]) => {
      const { body } = await screen.post('/api/v1/user/apikeys', { name: 'a', scopes, expiresAt: null })
      return apiKeyClient(box.app, body.key)
    }
    const reader = await program('read')
    const both = await program('read', 'write')
    const hook = discord.webhook()
    const relay = (await screen.post(relays, { discordHook: hook.url, status: false })).body
    const { body: masked } = await reader.get(`${relays}?id=${relay.id}`)
    expect(masked).toMatchObject({
      discordHook: expect.stringMatching(/••••[\w-]{4}$/),
      secret: '••••••••••••••••',
      herokuEndpoint: expect.stringMatching(/\/hooks\/heroku\/••••[\w-]{4}$/),
    })
    const { status, body: saved } = await both.patch(relays, { ...masked, showActor: true })
    expect([status, saved]).toMatchObject([200, { discordHook: hook.url, secret: relay.secret, showActor: true }])
    const copied = await both.post(relays, { discordHook: hook.url, secret: masked.secret })
    expect([copied.status, Object.keys(copied.body.fields)]).toEqual([400, ['secret']])
    await screen.patch(relays, { id: relay.id, secret: null })
    expect((await reader.get(`${relays}?id=${relay.id}`)).body.secret).toBe(null)
    await box.close()
    await discord.close()
  })
})
