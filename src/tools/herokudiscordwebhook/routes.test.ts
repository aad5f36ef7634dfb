import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { deliveryScene } from '../../../test/support/scenes/relay/delivery-scene.ts'
import { release } from '../../../test/support/scenes/relay/relay.ts'
import { minutes } from '../../shared/time.ts'
import { maskOf } from '../../shared/urls/discord-webhook.ts'

describe.each(dialects)('relay entries on %s', async (dialect) => {
  const { box, hook, relay, states, patch, holding } = await deliveryScene(dialect)

  const create = (body: object) => box.ada.post(`${box.base}/`, body)

  test('a new entry has an endpoint, a secret and default settings', async () => {
    const { body, status } = await create({ discordHook: hook.url })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      status: true,
      discordHook: hook.url,
      webhookId: hook.id,
      secret: expect.stringMatching(/^[\da-f]{64}$/),
      filter: { preset: 'everything' },
      showActor: false,
      mentionRole: null,
      threadId: null,
      card: false,
      connectedAt: null,
      refused: null,
      blocked: null,
      history: [],
      owner: 'ada@example.com',
    })
    expect(new URL(body.herokuEndpoint).pathname).toMatch(/^\/hooks\/heroku\/[\w-]{43}$/)
    expect(body).not.toHaveProperty('warning')
    expect(body.secret).not.toBe(relay.secret)
  })

  test('the database contains no unencrypted tokens or secrets', async () => {
    await box.ada.post(`${box.base}/secret?id=${relay.id}`)
    const { settings } = await box.db.q.selectFrom('entry').select('settings').executeTakeFirstOrThrow()
    expect(settings).toContain(hook.id)
    for (const word of [hook.token, relay.secret!, relay.path.split('/').at(-1)!]) expect(settings).not.toContain(word)
  })

  test('an entry stored before cards existed has none until it is edited', async () => {
    const query = box.db.q.selectFrom('entry').select('settings').where('id', '=', relay.id)
    const { card: _, ...old } = JSON.parse((await query.executeTakeFirstOrThrow()).settings)
    await box.db.q
      .updateTable('entry')
      .set({ settings: JSON.stringify(old) })
      .where('id', '=', relay.id)
      .execute()
    expect(await box.read(relay.id)).toMatchObject({ card: false })
    expect(await box.deliver(relay, release(1))).toBe(204)
    expect((await patch({ showActor: true })).body).toMatchObject({ card: false })
    expect((await patch({ card: true })).body).toMatchObject({ card: true })
    expect((await patch({ showActor: false })).body).toMatchObject({ card: true })
    expect(await patch({ card: 'yes' })).toMatchObject({ status: 400, body: { fields: { card: expect.any(String) } } })
  })

  test('saving the mask keeps the webhook; another mask, or a mask in a new entry, is rejected', async () => {
    const masked = await patch({ discordHook: maskOf(hook), showActor: true })
    expect(masked).toMatchObject({ status: 200, body: { discordHook: hook.url, showActor: true } })
    expect(box.discord.calls).toEqual([])
    const refused = { status: 400, body: { fields: { discordHook: expect.stringContaining('full') } } }
    expect(await patch({ discordHook: maskOf(box.discord.webhook()) })).toMatchObject(refused)
    expect(await create({ discordHook: maskOf(hook) })).toMatchObject(refused)
  })

  test('a request body may contain the whole entry as read or listed', async () => {
    const whole = await box.read(relay.id)
    expect(await patch({ ...whole, showActor: true })).toMatchObject({ status: 200, body: { secret: relay.secret } })
    const [listed] = (await box.ada.get(`${box.base}/list`)).body
    expect(await patch(listed)).toMatchObject({ status: 200, body: { secret: relay.secret, discordHook: hook.url } })
    expect((await create(whole)).status).toBe(201)
  })

  test('a webhook URL is stored in its canonical form, and its thread id becomes the thread setting', async () => {
    const url = hook.url.replace('discord.com/api/', 'canary.discord.com/api/v9/')
    const { body } = await create({ discordHook: `  ${url}/?thread_id=123456789012345678` })
    expect(body).toMatchObject({ discordHook: hook.url, threadId: '123456789012345678' })
  })

  test.each([
    [{}, 'discordHook'],
    [{ discordHook: 'https://example.com/api/webhooks/123456789012345678/x' }, 'discordHook'],
    [{ discordHook: 'https://discord.com.evil.example/api/webhooks/123456789012345678/x' }, 'discordHook'],
    [{ secret: 'short' }, 'secret'],
    [{ secret: '-secret-of-heroku' }, 'secret'],
    [{ filter: { preset: 'nothing' } }, 'filter'],
    [{ mentionRole: '@everyone' }, 'mentionRole'],
    [{ threadId: 'general' }, 'threadId'],
  ])('%j is rejected with an error for %s', async (body, field) => {
    const answer = await create(field === 'discordHook' ? body : { discordHook: hook.url, ...body })
    expect(answer).toMatchObject({ status: 400, body: { fields: { [field]: expect.any(String) } } })
  })

  test('a new webhook is checked with Discord without posting a message', async () => {
    await create({ discordHook: hook.url })
    expect(box.discord.calls).toMatchObject([{ method: 'GET' }])
    const refused = (why: string) => ({ status: 400, body: { fields: { discordHook: expect.stringContaining(why) } } })
    expect(await create({ discordHook: box.discord.webhook(2).url })).toMatchObject(refused('follows another channel'))
    expect(await patch({ discordHook: box.discord.webhook(3).url })).toMatchObject(refused('an application'))
    box.discord.remove(hook)
    expect(await create({ discordHook: hook.url })).toMatchObject(refused("doesn't know"))
    expect((await patch({ showActor: true })).status).toBe(200)
  })

  test('each user can have 300 webhooks a minute checked with Discord', async () => {
    box.pass(minutes(1))
    for (let used = 0; used < 290; used += 1) box.context.visitLimits.consumeUrl(box.adaUser.id)
    const answers = await Promise.all(Array.from({ length: 11 }, () => create({ discordHook: hook.url })))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused).toMatchObject([
      { status: 429, body: { error: 'Too many new URLs. Try again in 60 seconds.' }, headers: { 'retry-after': '60' } },
    ])
    expect(box.discord.calls).toHaveLength(10)
    expect((await patch({ discordHook: box.discord.webhook().url })).status).toBe(429)
    expect((await patch({ showActor: true })).status).toBe(200)
    const eve = box.as(await box.createPerson(`eve${box.now()}`))
    expect((await eve.post(`${box.base}/`, { discordHook: hook.url })).status).toBe(201)
    box.pass(minutes(1))
    expect((await create({ discordHook: hook.url })).status).toBe(201)
  })

  test('each user can send 60 test messages a minute', async () => {
    box.pass(minutes(1))
    const test = () => box.ada.post(`${box.base}/test?id=${relay.id}`)
    const statuses = (await Promise.all(Array.from({ length: 61 }, test))).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 202)).toEqual([429])
    box.pass(minutes(1))
    expect((await test()).status).toBe(202)
  })

  test('an entry is saved with a warning if Discord does not answer', async () => {
    const silent = box.discord.webhook()
    box.discord.silence(silent)
    const { status, body } = await create({ discordHook: silent.url })
    expect(status).toBe(201)
    expect(body.warning).toContain("couldn't check")
    expect(await box.read(body.id)).not.toHaveProperty('warning')
  })

  test('a test is delivered like an event, even for an inactive entry, and unblocks the entry', async () => {
    await holding(1)
    expect((await box.read(relay.id)).blocked).not.toBeNull()
    await patch({ status: false })
    expect((await box.ada.post(`${box.base}/test?id=${relay.id}`)).status).toBe(202)
    await box.work.runDue()
    expect(box.discord.postedTitles(hook)).toEqual([expect.stringContaining('Test from ToolBox')])
    expect(await states()).toEqual(['held', 'delivered'])
    expect((await box.read(relay.id)).blocked).toBeNull()
    expect(box.discord.faults).toEqual([])
  })

  test('a blocked webhook is unblocked by a change of its thread, not by other changes', async () => {
    await holding(1)
    expect((await patch({ showActor: true })).body.blocked).not.toBeNull()
    expect((await patch({ threadId: '123456789012345678' })).body.blocked).toBeNull()
  })

  test('the OpenAPI document includes every route of this tool', async () => {
    const { paths } = (await box.app.inject('/api/v1/openapi.json')).json()
    const own = ['', '/list', '/deliveries', '/delivery', '/deliveries/replay', '/test', '/secret', '/preview']
    for (const path of [...own.map((end) => box.base + end), '/hooks/heroku/{token}'])
      expect(paths).toHaveProperty([path])
  })

  test('an entry without a signature check is connected from its first delivery on', async () => {
    const unchecked = await box.relay(hook, { secret: null })
    expect((await box.read(unchecked.id)).connectedAt).toBeNull()
    await box.deliver(unchecked, release(1))
    expect((await box.read(unchecked.id)).connectedAt).toBe(box.now())
  })

  test('a new owner sees the whole entry, and the previous owner no longer does', async () => {
    const boss = box.as(await box.createPerson(`head${box.now()}`, 2))
    const owner = (await boss.get('/api/v1/auth/session')).body.user.email
    expect((await patch({ owner })).status).toBe(400)
    expect((await boss.patch(box.base, { id: relay.id, owner })).body).toMatchObject({ owner, discordHook: hook.url })
    expect((await box.ada.get(`${box.base}?id=${relay.id}`)).status).toBe(404)
  })
})
