import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { channelScene } from '../../../test/support/scenes/channel-scene.ts'
import { hours, minutes } from '../../shared/time.ts'

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const bot = { token: '123456:ABC-DEF', chat: '42' }

describe.each(dialects)('channels on %s', async (dialect) => {
  const scene = await channelScene(dialect)
  const create = (body: object) => scene.ada.post(scene.path, body)
  const patch = (body: object) => scene.ada.patch(scene.path, body)
  const webhook = () => ({ url: `${scene.services.origin}/hook`, secret })

  test('creates a channel with defaults, and lists, changes and deletes it', async () => {
    const { ada, path, now } = scene
    const { status, body } = await create({ type: 'telegram', settings: bot })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      name: null,
      type: 'telegram',
      status: true,
      settings: bot,
      events: ['failing', 'recovered', 'blocked'],
      tools: null,
      entries: null,
      quiet: null,
      remindEvery: null,
      confirmed: true,
      failingSince: null,
      lastError: null,
      lastSentAt: null,
      createdAt: now(),
      updatedAt: now(),
    })
    const listed = { ...body, settings: { token: '••••-DEF', chat: '42' } }
    expect((await ada.get(path)).body).toEqual([listed])
    const quiet = { zone: 'Europe/Berlin', days: [1, 2], from: '22:00', to: '07:00' }
    const change = { name: ' Ops ', status: false, events: ['account'], tools: ['keepalive'], quiet, remindEvery: 4 }
    const changed = { ...listed, ...change, name: 'Ops', updatedAt: now() + 1 }
    expect(await patch({ ...listed, ...change })).toMatchObject({ status: 200, body: changed })
    expect((await ada.get(path)).body).toEqual([changed])
    expect(await ada.delete(`${path}?id=${body.id}`)).toMatchObject({ status: 200, body: { id: body.id } })
    expect((await ada.get(path)).body).toEqual([])
  })

  test('returns secrets in full only on creation, and stores them encrypted', async () => {
    const { ada, path, db, discord } = scene
    const hook = discord.webhook()
    const bodies = [
      { type: 'discord', settings: { url: hook.url } },
      { type: 'slack', settings: scene.services.slack() },
      { type: 'ntfy', settings: { ...scene.services.ntfy(), token: 'tk_secretsecret' } },
      { type: 'webhook', settings: webhook() },
      { type: 'webhook', settings: { url: `${webhook().url}?token=mysecret` } },
    ]
    const created = []
    for (const body of bodies) {
      scene.pass(1)
      created.push((await create(body)).body.settings)
    }
    expect(created.slice(0, 4)).toEqual(bodies.slice(0, 4).map(({ settings }) => settings))
    expect(created[4].secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const { body } = await ada.get(path)
    const { origin } = scene.services
    expect(body.map(({ settings }: { settings: object }) => settings)).toEqual([
      { url: expect.stringMatching(/^https:\/\/discord\.com\/api\/webhooks\/\d{4}…\/••••[\w-]{4}$/) },
      { url: `${origin}/••••cret` },
      { url: `${origin}/••••`, token: '••••cret' },
      { url: `${origin}/hook`, secret: `whsec_••••${secret.slice(-4)}` },
      { url: `${origin}/hook?••••`, secret: `whsec_••••${created[4].secret.slice(-4)}` },
    ])
    const stored = JSON.stringify(await db.q.selectFrom('channel').selectAll().execute())
    for (const hidden of [hook.token, 'tk_secret', secret, '/alerts']) expect(stored).not.toContain(hidden)
  })

  test('keeps a secret that is sent back masked, but not for another host', async () => {
    const { body } = await create({ type: 'webhook', settings: webhook() })
    const masked = `whsec_••••${secret.slice(-4)}`
    const set = async (settings: object) => (await patch({ id: body.id, settings })).body
    const stored = async (id = body.id) => {
      const row = scene.db.q.selectFrom('channel').select('settings').where('id', '=', id)
      return JSON.parse(scene.context.secrets.open((await row.executeTakeFirstOrThrow()).settings))
    }
    const moved = `${scene.services.origin}/moved`
    expect((await set({ url: moved, secret: masked })).settings).toEqual({ url: moved, secret: masked })
    expect((await set({ url: `${moved}/again` })).settings.secret).toBe(masked)
    expect(await stored()).toEqual({ url: `${moved}/again`, secret })
    const elsewhere = 'http://127.0.0.2:8080/hook'
    const error = 'Enter this again: the URL points to a different host.'
    for (const settings of [{ url: elsewhere, secret: masked }, { url: elsewhere }])
      expect(await set(settings)).toEqual({ error, fields: { 'settings.secret': error } })
    expect((await set({ secret: masked.replace(/.$/, '?') })).fields).toEqual({
      'settings.secret': 'Enter this in full.',
    })
    expect((await set({ secret: '' })).fields).toEqual({ 'settings.secret': 'Enter a new one.' })
    const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
    expect((await set({ url: elsewhere, secret: other })).settings.url).toBe(elsewhere)
    expect(await stored()).toEqual({ url: elsewhere, secret: other })
    const { body: topic } = await create({ type: 'ntfy', settings: { ...scene.services.ntfy(), token: 'tk_secret' } })
    const without = await patch({ id: topic.id, settings: { url: 'http://127.0.0.2/alerts' } })
    expect(without.body.settings).toEqual({ url: 'http://127.0.0.2/••••' })
    const named = await patch({ ...without.body, name: 'Phone' })
    expect(named).toMatchObject({ status: 200, body: { name: 'Phone', settings: without.body.settings } })
    expect(await stored(topic.id)).toEqual({ url: 'http://127.0.0.2/alerts' })
  })

  test('accepts only the user’s own entries, and those chosen before', async () => {
    const { ada, path } = scene
    const eve = scene.as(await scene.createPerson(`eve${scene.now()}`))
    const entryOf = async (who: typeof ada): Promise<string> =>
      (await who.post('/api/v1/keepalive/', { url: `${scene.services.origin}/` })).body.id
    const [own, hers] = [await entryOf(ada), await entryOf(eve)]
    const { body } = await create({ type: 'telegram', settings: bot, entries: [own] })
    for (const id of [hers, 'unknown'])
      for (const answer of [
        await create({ type: 'telegram', settings: bot, entries: [own, id] }),
        await patch({ id: body.id, entries: [own, id] }),
      ])
        expect(answer).toMatchObject({
          status: 400,
          body: { fields: { entries: `You have no entry with the ID ${id}.` } },
        })
    await ada.delete(`/api/v1/keepalive/?id=${own}`)
    expect(await patch({ ...body, settings: undefined, name: 'Ops' })).toMatchObject({ status: 200 })
    expect((await ada.get(path)).body).toMatchObject([{ name: 'Ops', entries: [own] }])
  })

  test('hides a channel from other users, and does not change its type', async () => {
    const { body } = await create({ type: 'telegram', settings: bot })
    const eve = scene.as(await scene.createPerson(`eve${scene.now()}`, 2))
    const { path } = scene
    expect((await eve.get(path)).body).toEqual([])
    for (const answer of [
      await eve.patch(path, { id: body.id, name: 'Mine' }),
      await eve.delete(`${path}?id=${body.id}`),
      await eve.post(`${path}/test?id=${body.id}`),
    ])
      expect(answer.status).toBe(404)
    expect((await patch({ id: body.id, type: 'slack' })).body.fields).toHaveProperty('type')
    expect((await scene.ada.get(path)).body).toMatchObject([{ name: null, type: 'telegram' }])
  })

  test('limits a user to 20 channels', async () => {
    const all = await Promise.all(Array.from({ length: 21 }, () => create({ type: 'telegram', settings: bot })))
    const statuses = all.map(({ status }) => status).sort()
    expect(statuses.slice(-2)).toEqual([201, 409])
    expect((await scene.ada.get(scene.path)).body).toHaveLength(20)
  })

  test('describes channel types by schemas that mark secrets', async () => {
    const { body } = await scene.ada.get(`${scene.path}/types`)
    const fields = Object.fromEntries(body.map(({ id, fields }: { id: string; fields: object }) => [id, fields]))
    expect(Object.keys(fields)).toEqual(['email', 'discord', 'slack', 'telegram', 'ntfy', 'webhook'])
    expect(fields.ntfy).toMatchObject({
      type: 'object',
      properties: {
        url: { type: 'string', title: 'Topic URL', description: expect.any(String), format: 'uri' },
        token: { type: 'string', title: 'Access token', writeOnly: true },
      },
      required: ['url'],
    })
    expect(fields.telegram.required).toEqual(['token', 'chat'])
    expect(fields.email.properties.to).toMatchObject({ type: 'string', format: 'email', title: 'Address' })
  })

  test('limits test messages and confirmation mails', async () => {
    const { ada, path, pass } = scene
    const { body } = await create({ type: 'telegram', settings: bot })
    const mail = (await create({ type: 'email', settings: { to: 'a@b.example' } })).body
    const tests = []
    for (let n = 0; n < 61; n++) tests.push((await ada.post(`${path}/test?id=${body.id}`)).status)
    expect(tests.filter((status) => status === 202)).toHaveLength(60)
    pass(minutes(1))
    const mails = []
    for (let n = 0; n < 11; n++) mails.push((await ada.post(`${path}/test?id=${mail.id}`)).status)
    // The first mail was sent when the channel was created.
    expect(mails.filter((status) => status === 202)).toHaveLength(9)
    expect(mails.at(-1)).toBe(429)
    // The limit of an address applies to all users together.
    pass(hours(2))
    const eve = scene.as(await scene.createPerson(`eve${scene.now()}`))
    const mailed = async (to: string) => eve.post(path, { type: 'email', settings: { to } })
    expect(await mailed('A@b.example')).toMatchObject({
      status: 429,
      body: { error: expect.stringMatching(/address/) },
    })
    for (let n = 0; n < 10; n++) expect((await mailed(`${n}@b.example`)).status).toBe(201)
  })
})

describe('a new channel', async () => {
  const scene = await channelScene('sqlite')

  test.each([
    ['an unknown type', { type: 'fax', settings: {} }, ['type']],
    ['no settings', { type: 'slack' }, ['settings']],
    ['an unknown field', { type: 'slack', settings: { url: 'https://a.example.com', token: 'x' } }, ['settings.token']],
    ['no URL', { type: 'slack', settings: {} }, ['settings.url']],
    ['an invalid URL', { type: 'ntfy', settings: { url: 'alerts' } }, ['settings.url']],
    ['a topic URL without a topic', { type: 'ntfy', settings: { url: 'https://ntfy.sh/' } }, ['settings.url']],
    ['a private address', { type: 'slack', settings: { url: 'http://10.0.0.1/' } }, ['settings.url']],
    ['a URL that is no webhook', { type: 'discord', settings: { url: 'https://discord.gg/x' } }, ['settings.url']],
    [
      'two invalid settings',
      { type: 'telegram', settings: { token: 'x', chat: '#y' } },
      ['settings.chat', 'settings.token'],
    ],
    [
      'a weak secret',
      { type: 'webhook', settings: { url: 'https://a.example.com', secret: 'whsec_aa' } },
      ['settings.secret'],
    ],
    ['no email', { type: 'email', settings: { to: 'ada' } }, ['settings.to']],
    ['no events', { type: 'telegram', settings: bot, events: [] }, ['events']],
    ['events for admins only', { type: 'telegram', settings: bot, events: ['operator'] }, ['events']],
    ['an unknown tool', { type: 'telegram', settings: bot, tools: ['fax'] }, ['tools']],
    ['an ID that can’t be stored', { type: 'telegram', settings: bot, entries: ['a\0'] }, ['entries']],
    ['a text direction mark in its name', { type: 'telegram', settings: bot, name: 'Ops \u202e' }, ['name']],
    ['an invisible name', { type: 'telegram', settings: bot, name: ' \u200b' }, ['name']],
    [
      'an unknown time zone',
      { type: 'telegram', settings: bot, quiet: { zone: 'Mars', days: [1], from: '1:00', to: '02:00' } },
      ['quiet'],
    ],
    ['too many hours', { type: 'telegram', settings: bot, remindEvery: 169 }, ['remindEvery']],
  ])('with %s is refused with errors for its fields', async (_what, body, fields) => {
    const answer = await scene.ada.post(scene.path, body)
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.fields).sort()).toEqual(fields)
    expect((await scene.ada.get(scene.path)).body).toEqual([])
  })
})
