import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { dialects, racingDialects } from '../../test/support/database/databases.ts'
import { fakeDiscord } from '../../test/support/fakes/fake-discord.ts'
import { apiKeyClient, createSignedInPerson, password } from '../../test/support/people.ts'
import { beforeCheck } from '../../test/support/scenes/before-check.ts'
import { ownFile } from '../../test/support/scenes/import-scene.ts'
import { closeAfterwards, toolbox } from '../../test/support/toolbox.ts'
import { sessionUser } from '../people/store.ts'
import { entryTools } from '../server-tools.ts'
import { minutes } from '../shared/time.ts'
import { createImporter } from './import.ts'
import { supportsImport } from './read-file.ts'

type Screen = Awaited<ReturnType<typeof createSignedInPerson>>['screen']

describe.each(dialects)('own data on %s', async (dialect) => {
  let count = 0
  const discord = closeAfterwards(await fakeDiscord())
  const box = closeAfterwards(await toolbox(dialect, discord.env))
  const someone = (roles = {}) =>
    createSignedInPerson(box, { username: `own-${count++}-${dialect}`.toLowerCase(), roles })

  /** Creates a relay, a page, two pings of one URL (one with a secret header), a channel, a badge and an API key. */
  async function furnish(screen: Screen) {
    const { url: discordHook } = discord.webhook()
    const ping = { url: 'http://127.0.0.1:9/', status: false }
    const created = [
      await screen.post('/api/v1/herokudiscordwebhook/', { discordHook, name: 'Deploys' }),
      await screen.post('/api/v1/ghmdinvalidator/', { url: 'https://github.com/octocat/hello-world', status: false }),
      await screen.post('/api/v1/keepalive/', {
        ...ping,
        headers: [{ name: 'X-Key', value: 'a header that is secret' }],
      }),
      await screen.post('/api/v1/keepalive/', { ...ping, method: 'HEAD', notifyAfter: 5 }),
      await screen.post('/api/v1/user/channels', {
        type: 'telegram',
        settings: { token: '1:channelsecret', chat: '2' },
      }),
      await screen.post(`/api/v1/analyticsbadge/own_${count}_${dialect}/claim`),
      await screen.post('/api/v1/user/apikeys', { name: 'Script', scopes: ['read', 'write'], expiresAt: null }),
    ]
    expect(created.map(({ status }) => status)).toEqual(created.map(() => 201))
    const [relay] = created
    return { discordHook, secret: String(relay!.body.secret), key: String(created.at(-1)!.body.key) }
  }
  const exported = async (screen: Screen, query = '') => (await screen.get(`/api/v1/user/export${query}`)).body

  test('is exported as one file that fits its schema, with secrets masked unless requested with proof', async () => {
    const { screen, id, email } = await someone()
    const { discordHook, secret, key } = await furnish(screen)
    const file = await exported(screen)
    const schema = (await box.app.inject('/api/v1/user/export/schema')).json()
    expect(z.fromJSONSchema(schema).safeParse(file).error?.issues).toBeUndefined()
    expect(file).toMatchObject({
      format: 'toolbox-user',
      version: 1,
      secrets: 'masked',
      profile: { id, email, roles: { Tools: 1 } },
      sessions: [{ current: true }],
      twoStep: { app: null, passkeys: [] },
      apiKeys: [{ name: 'Script' }],
      channels: [{ type: 'telegram', settings: { chat: '2' } }],
      badges: [{ views: 0 }],
      statusPage: null,
      incidents: [],
      entries: expect.arrayContaining([expect.objectContaining({ tool: 'herokudiscordwebhook', name: 'Deploys' })]),
    })
    expect(file.entries).toHaveLength(4)
    expect(file.activity.length).toBeGreaterThan(0)
    const tokens = (await exported(screen, '?secrets=true')).entries.flatMap(
      ({ herokuEndpoint = '', hookUrl = '' }) => `${herokuEndpoint}${hookUrl}`.split('/').at(-1) || [],
    )
    expect(tokens).toHaveLength(2)
    const secrets = [discordHook, secret, key, 'a header that is secret', '1:channelsecret', ...tokens]
    const has = (text: string) => secrets.filter((one) => text.includes(one))
    expect(has(JSON.stringify(file))).toEqual([])
    // API keys are stored only as hashes.
    const inFull = await exported(screen, '?secrets=true')
    expect(has(JSON.stringify(inFull))).toEqual(secrets.filter((one) => one !== key))
    expect(inFull.secrets).toBe('included')
    expect(z.fromJSONSchema(schema).safeParse(inFull).error?.issues).toBeUndefined()

    const program = apiKeyClient(box.app, key)
    const { body: ofKey } = await program.get('/api/v1/user/export')
    expect(Object.keys(file).filter((name) => !(name in ofKey))).toEqual([
      ...['twoStep', 'sessions', 'knownDevices', 'apiKeys', 'channels', 'activity'],
    ])
    expect(has(JSON.stringify(ofKey))).toEqual([])
    expect((await program.get('/api/v1/user/export?secrets=true')).status).toBe(403)
    box.pass(minutes(10))
    const stale = await screen.get('/api/v1/user/export?secrets=true')
    expect([stale.status, stale.body.reauthenticate]).toEqual([403, true])
  })

  test('is unchanged by importing its own export, which creates new entries for another user', async () => {
    const { screen } = await someone()
    await furnish(screen)
    const [file, inFull] = [await exported(screen), await exported(screen, '?secrets=true')]
    const importFile = (to: Screen, body: object, query = '') => to.post(`/api/v1/user/import${query}`, body)
    for (const body of [file, inFull])
      expect(await importFile(screen, body)).toMatchObject({
        status: 200,
        body: { created: 0, changed: 0, same: 4, refused: [] },
      })
    const before = await exported(screen)
    expect(before.entries).toEqual(file.entries)

    const { screen: other } = await someone()
    // Only the account that exported them can restore masked secrets.
    const refused = await importFile(other, file)
    expect([refused.status, refused.body]).toMatchObject([
      400,
      {
        created: 0,
        refused: [
          { line: expect.any(Number), why: 'Enter the value of X-Key in full.' },
          { why: 'This URL is shortened. Paste the full webhook URL of the Discord channel.' },
        ],
      },
    ])
    expect((await exported(other)).entries).toEqual([])
    expect((await importFile(other, file, '?skip=true')).body).toMatchObject({ created: 2, refused: [{}, {}] })
    expect((await importFile(other, inFull, '?dry=true')).body).toMatchObject({ created: 2, same: 2 })
    expect((await importFile(other, inFull)).body).toMatchObject({ created: 2, same: 2 })
    expect((await importFile(other, inFull)).body).toMatchObject({ created: 0, changed: 0, same: 4 })
    const copy = await exported(other, '?secrets=true')
    const ofEach = new Set(['id', 'createdAt', 'updatedAt', 'about', 'herokuEndpoint', 'hookUrl'])
    const settings = (entry: object) => JSON.stringify(Object.entries(entry).filter(([name]) => !ofEach.has(name)))
    expect(copy.entries.map(settings).sort()).toEqual(inFull.entries.map(settings).sort())
    expect(copy.entries[0].id).not.toBe(inFull.entries[0].id)
    const log = await box.db.q.selectFrom('audit').select('changes').where('action', '=', 'data.import').execute()
    expect(log).toHaveLength(2)

    // An entry is recognized by its id, whatever else has changed.
    const [first, ...rest] = inFull.entries
    const moved = { ...inFull, entries: [{ ...first, name: 'New name', notifyAfter: 7 }, ...rest] }
    expect((await importFile(screen, moved)).body).toMatchObject({ created: 0, changed: 1, same: 3 })
    const changed = (await exported(screen)).entries.find(({ id }: { id: string }) => id === first.id)
    expect(changed).toMatchObject({ name: 'New name', notifyAfter: 7 })
  })

  test('refuses an entire import if its user is blocked during host look-ups', async () => {
    const { screen, id } = await someone()
    const block = () => box.db.q.updateTable('users').set({ status: 0 }).where('id', '=', id).execute()
    beforeCheck(box.app, 1, block)
    const file = ownFile({ tool: 'keepalive', url: 'http://127.0.0.1:9/late' })
    const { status, body } = await screen.post('/api/v1/user/import', file)
    expect([status, body]).toEqual([403, { error: 'You lost access before this was done.' }])
    expect(await box.db.q.selectFrom('entry').select('id').where('owner_id', '=', id).execute()).toEqual([])
  })

  test('is deleted with its account, of which only the audit log keeps a record', async () => {
    const root = await someone({ Admin: 2, Tools: 2 })
    const { screen, id, email, username } = await someone()
    await furnish(screen)
    const { body: summary } = await screen.get('/api/v1/user/summary')
    expect(summary).toEqual({
      entries: 4,
      channels: 1,
      sessions: 1,
      apiKeys: 1,
      more: ['1 claimed badge is released. Badges on your pages keep counting.'],
    })
    expect((await screen.delete(`/api/v1/user?email=${root.email}`)).status).toBe(400)
    box.pass(minutes(10))
    expect(await screen.delete('/api/v1/user')).toMatchObject({ status: 403, body: { reauthenticate: true } })
    expect((await screen.post('/api/v1/auth/proof', { password })).status).toBe(204)
    expect(await screen.delete('/api/v1/user')).toMatchObject({ status: 200, body: { id } })
    expect((await screen.get('/api/v1/auth/session')).body).toEqual({ user: null })
    expect((await screen.signIn(username!)).status).toBe(401)
    const [log] = await box.db.q.selectFrom('audit').selectAll().where('action', '=', 'user.delete').execute()
    expect(log).toMatchObject({ actor_id: id, actor: email, target: email })

    expect((await root.screen.post('/api/v1/auth/proof', { password })).status).toBe(204)
    // A user created for a provider who never signed in doesn't count as an admin.
    const newcomer = { name: 'Nora', email: 'nora@example.com', roles: { Admin: 2 } }
    expect((await root.screen.post('/api/v1/admin/user', newcomer)).status).toBe(201)
    const last = await root.screen.delete('/api/v1/user')
    expect([last.status, last.body.error]).toEqual([
      409,
      "You can't delete the last admin. Appoint another admin first.",
    ])
  })
})

describe.each(racingDialects)('importing own data on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))

  test('two concurrent imports create an entry only once', async () => {
    const { screen, id } = await createSignedInPerson(box)
    const file = ownFile({ tool: 'keepalive', url: 'http://127.0.0.1:9/once' })
    const answers = await Promise.all([1, 2].map(() => screen.post('/api/v1/user/import', file)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429])
    // The limit of one import at a time doesn't work across instances.
    const user = await sessionUser(box.db.q, id)
    const actor = { id, name: user.email, address: null, device: null }
    const by = { user, actor, recheckAccess: async () => {} }
    const importFile = () => {
      const bytes = Buffer.from(new TextEncoder().encode('http://127.0.0.1:9/once\nhttp://127.0.0.1:9/other').buffer)
      const file = { bytes, type: 'text/plain', dry: false, skip: false }
      return createImporter(box.context, entryTools.filter(supportsImport))(by, file)
    }
    const outcomes = await Promise.allSettled([importFile(), importFile()])
    // The later import either finds the entry or is refused at the end.
    const created = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.report.created : 0))
    expect(created.sort()).toEqual([0, 1])
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ status: 409 })
    expect((await screen.get('/api/v1/user/export')).body.entries).toHaveLength(2)
  })
})
