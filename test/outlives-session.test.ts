import { describe, expect, test } from 'vitest'
import { minutes } from '../src/shared/time.ts'
import { dialects } from './support/database/databases.ts'
import { createSignedInPerson } from './support/people.ts'
import { closeAfterwards, toolbox } from './support/toolbox.ts'

const channels = '/api/v1/user/channels'
const bot = (chat = '42') => ({ type: 'telegram', settings: { token: '123456:ABC-DEF', chat } })

describe.each(dialects)('changes that outlive a stolen session on %s', async (dialect) => {
  const box = closeAfterwards(await toolbox(dialect))

  const audited = async (id: string) => {
    const rows = box.db.q.selectFrom('audit').select(['action', 'target_id', 'changes']).where('actor_id', '=', id)
    return (await rows.orderBy('at').execute()).map(({ action, changes }) => [action, JSON.parse(changes)[0]?.to])
  }
  /** The messages queued for the user's channels, as `channel: subject`. */
  const queuedMessages = async (id: string) => {
    const news = await box.db.q
      .selectFrom('channel_news')
      .innerJoin('channel', 'channel.id', 'channel_news.channel_id')
      .select(['channel.name', 'channel_news.subject'])
      .where('channel.user_id', '=', id)
      .execute()
    return news.map(({ name, subject }) => `${name}: ${subject}`).sort()
  }
  const inbox = async ({ get }: { get: (url: string) => Promise<{ body: { items: { message: string }[] } }> }) =>
    (await get('/api/v1/user/inbox')).body.items.map(({ message }) => message).join(' ')

  test('a new channel and a changed address are logged, and reported in the inbox and older channels', async () => {
    const { id, screen } = await createSignedInPerson(box)
    const first = await screen.post(channels, { ...bot(), name: 'First', events: ['account'] })
    expect(await queuedMessages(id)).toEqual([])
    box.pass(1)
    const second = await screen.post(channels, { ...bot('43'), name: 'Second', events: ['account'] })
    expect(second.status).toBe(201)
    expect(await queuedMessages(id)).toEqual([
      expect.stringMatching(/^First: The channel “Second \(Telegram\)” was created from /),
    ])
    box.pass(1)
    expect((await screen.patch(channels, { id: first.body.id, settings: bot('44').settings })).status).toBe(200)
    expect(await queuedMessages(id)).toContainEqual(
      expect.stringMatching(/^Second: The address of the channel “First \(Telegram\)” was changed from /),
    )
    box.pass(1)
    expect((await screen.patch(channels, { id: first.body.id, name: 'Renamed' })).status).toBe(200)
    expect(await audited(id)).toEqual([
      ['channel.create', 'First (Telegram)'],
      ['channel.create', 'Second (Telegram)'],
      ['channel.edit', 'First (Telegram)'],
    ])
    expect(await inbox(screen)).toMatch(/channel “First .*channel “Second .*address of the channel “First/)
    const url = 'https://hooks.example.com/services/KLM-NOP?key=QRS-TUV'
    box.pass(1)
    expect((await screen.post(channels, { type: 'webhook', settings: { url } })).status).toBe(201)
    // The log uses the channel's name from the list.
    expect((await audited(id)).at(-1)).toEqual(['channel.create', 'hooks.example.com (Webhook)'])
    const secrets = JSON.stringify(await box.db.q.selectFrom('audit').selectAll().execute())
    expect(secrets).not.toMatch(/ABC-DEF|KLM-NOP|QRS-TUV/)
  })

  test('creating, subscribing or redirecting a channel for operator news requires re-authentication', async () => {
    const { screen } = await createSignedInPerson(box, { roles: { Admin: 2 } })
    const { body: quiet } = await screen.post(channels, bot())
    const { body: loud } = await screen.post(channels, { ...bot(), events: ['operator'] })
    box.pass(minutes(10))
    const asks = { status: 403, body: { reauthenticate: true } }
    expect(await screen.post(channels, { ...bot(), events: ['operator'] })).toMatchObject(asks)
    expect(await screen.patch(channels, { id: quiet.id, events: ['operator'] })).toMatchObject(asks)
    expect(await screen.patch(channels, { id: loud.id, settings: bot('6').settings })).toMatchObject(asks)
    expect((await screen.patch(channels, { id: loud.id, name: 'Named' })).status).toBe(200)
    expect((await screen.post(channels, bot())).status).toBe(201)
  })

  test('a new status page, a changed address and newly shown URLs are logged and reported', async () => {
    const { id, screen } = await createSignedInPerson(box)
    const url = 'http://127.0.0.1:9/'
    const entry = (await screen.post('/api/v1/keepalive/', { url, status: false })).body
    const put = async (slug: string, showUrl: boolean) => {
      box.pass(1)
      const entries = [{ tool: 'keepalive', id: entry.id, showUrl }]
      const body = { slug: `${slug}-${dialect}`, title: 'Mine', text: '', entries }
      expect((await screen.put('/api/v1/user/status', body)).status).toBe(200)
    }
    await put('mine', false)
    await put('mine', true)
    await put('mine', true)
    await put('yours', true)
    expect(await audited(id)).toEqual([
      ['status.create', `/status/mine-${dialect}`],
      ['status.edit', 1],
      ['status.edit', `/status/yours-${dialect}`],
    ])
    expect(await inbox(screen)).toMatch(/created at .*shows more URLs .*moved to /)
  })

  test('a message never contains the query or fragment of a URL', async () => {
    const { id, screen } = await createSignedInPerson(box)
    await screen.post(channels, { ...bot(), name: 'Pings', events: ['failing'] })
    const ping = { url: 'http://127.0.0.1:9/health?key=a-secret#part', notifyAfter: 1 }
    expect((await screen.post('/api/v1/keepalive/', ping)).status).toBe(201)
    await box.work.runDue()
    const news = box.db.q.selectFrom('channel_news').innerJoin('channel', 'channel.id', 'channel_news.channel_id')
    const [row] = await news.select('channel_news.data').where('channel.user_id', '=', id).execute()
    expect(JSON.parse(row?.data ?? '{}').entry.url).toBe('http://127.0.0.1:9/health')
  })

  test('deleting your own account does not delete the user who now has your former email', async () => {
    const { id, screen, email } = await createSignedInPerson(box)
    const { email: other } = await createSignedInPerson(box)
    // The email passes to another user between the session lookup and the deletion.
    await box.db.q
      .updateTable('users')
      .set({ email: `moved-${email}` })
      .where('id', '=', id)
      .execute()
    await box.db.q.updateTable('users').set({ email }).where('email', '=', other).execute()
    expect((await screen.post('/api/v1/analyticsbadge/mine_too/claim', {})).body).toMatchObject({ tag: 'mine_too' })
    const badge = box.db.q.selectFrom('badge').select('owner_id').where('tag', '=', 'mine_too')
    expect(await badge.executeTakeFirst()).toEqual({ owner_id: id })
    expect((await screen.delete('/api/v1/user')).status).toBe(200)
    const remaining = box.db.q
      .selectFrom('users')
      .select('id')
      .where('email', 'in', [email, `moved-${email}`])
    expect(await remaining.execute()).toHaveLength(1)
    expect(await remaining.where('id', '=', id).execute()).toEqual([])
  })
})
