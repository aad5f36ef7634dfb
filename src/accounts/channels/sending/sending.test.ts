import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { type Channelbox, channelScene } from '../../../../test/support/scenes/channel-scene.ts'
import type { News } from '../../../platform/news.ts'
import { days, hours, minutes, seconds } from '../../../shared/time.ts'

type Payload = { type: string; data: { entries: { name: string }[]; count: number; messages?: string[] } }

describe.each(dialects)('what channels are sent on %s', (dialect) => {
  const scene = channelScene(dialect)
  let secret = ''

  /** A channel that a receiver of webhooks listens to. */
  async function webhook(more: object = {}) {
    const receiver = scene().services.webhook(() => secret)
    const channel = await scene().channel('webhook', receiver, more)
    secret = channel.settings.secret ?? ''
    return channel.id
  }
  /** What the receiver was told, and when it was told. */
  const told = () =>
    scene().services.taken.map(({ body }) => {
      const { type, data } = body as unknown as Payload
      return `${type} ${data.messages?.join() ?? data.entries.map(({ name }) => name).join()} ${data.count}`
    })
  const ids = () => scene().services.visits.map(({ headers }) => headers['webhook-id'])
  const answers: Channelbox['services']['answers'] = (...script) => scene().services.answers(...script)

  test('what changes within ten seconds is one message, and the next comes a minute later', async () => {
    await webhook()
    const { fail, wait } = scene()
    await fail('a')
    await wait(seconds(9))
    await fail('b')
    expect(told()).toEqual([])
    await wait(seconds(1))
    expect(told()).toEqual(['entry.failing a,b 2'])
    await wait(seconds(2))
    await fail('c')
    await wait(seconds(57))
    expect(told()).toHaveLength(1)
    await fail('d')
    await wait(seconds(1))
    expect(told()).toEqual(['entry.failing a,b 2', 'entry.failing c,d 2'])
    await wait(minutes(10))
    expect(told()).toHaveLength(2)
    expect(await scene().pending()).toBe(0)
    expect(await scene().db.q.selectFrom('job').select('id').execute()).toEqual([])
  })

  test('a thousand failures are one message, whose first ten are named', async () => {
    await webhook()
    const names = Array.from({ length: 1_000 }, (_, n) => `e${String(n).padStart(3, '0')}`)
    for (let n = 0; n < 1_000; n += 250) await scene().fail(...names.slice(n, n + 250))
    await scene().wait(seconds(10))
    await scene().wait(minutes(5))
    expect(scene().services.taken).toHaveLength(1)
    const { data } = scene().services.taken[0]!.body as unknown as Payload
    expect(data.count).toBe(1_000)
    expect(new Set(data.entries.map(({ name }) => name)).size).toBe(10)
    await scene().channel('telegram', scene().services.telegram())
    await scene().fail(...names)
    await scene().wait(minutes(1))
    expect(scene().services.taken.find(({ service }) => service === 'telegram')?.body.text).toMatch(
      /^1,000 entries are failing\n(?:• .*\n){10}and 990 more\nhttp/,
    )
  })

  test('failures, recoveries and what is blocked are separate messages', async () => {
    await webhook()
    const { entryNews, tell, wait } = scene()
    await tell(entryNews('failing', 'a'), entryNews('recovered', 'b'), entryNews('blocked', 'c'))
    await wait(seconds(10))
    expect(told().sort()).toEqual(['entry.failing a 1', 'entry.recovered b 1', 'relay.blocked c 1'])
  })

  test('what became of an entry last is told last', async () => {
    await webhook()
    const { entryNews, tell, wait } = scene()
    for (const [type, name] of [
      ['recovered', 'c'],
      ['failing', 'a'],
      ['recovered', 'a'],
      ['failing', 'b'],
    ] as const) {
      await tell(entryNews(type, name))
      scene().pass(1)
    }
    await wait(seconds(10))
    expect(told()).toEqual(['entry.recovered c 1', 'entry.failing a,b 2', 'entry.recovered a 1'])
  })

  test('a channel hears what it has chosen, and of its own user’s entries alone', async () => {
    await webhook({ events: ['recovered', 'account'], tools: ['keepalive'] })
    await scene().channel('telegram', scene().services.telegram(), { events: ['failing'], entries: ['id of b'] })
    const { entryNews, tell, wait, adaUser } = scene()
    const eve = await scene().person(`eve${scene().now()}`)
    const ofOtherTool = {
      ...entryNews('recovered', 'x'),
      entry: { id: 'x', tool: 'other', name: 'x', about: '', url: '' },
    }
    await tell(
      entryNews('failing', 'a'),
      entryNews('failing', 'b'),
      entryNews('recovered', 'c'),
      entryNews('recovered', 'eve’s', eve.id),
      ofOtherTool as News,
      { type: 'account', userId: adaUser.id, message: 'New sign-in' },
      { type: 'account', userId: eve.id, message: 'Not hers' },
      { type: 'operator', message: 'Not for her' },
    )
    await wait(seconds(10))
    const texts = scene().services.taken.flatMap(({ body }) => (body.text === undefined ? [] : String(body.text)))
    expect(texts).toEqual([expect.stringMatching(/^b is failing\n/)])
    scene().services.taken.splice(0, 99, ...scene().services.taken.filter(({ service }) => service === 'webhook'))
    expect(told().sort()).toEqual(['account New sign-in 1', 'entry.recovered c 1'])
  })

  test('only active admins who chose it hear of the server’s trouble', async () => {
    const { db, adaUser, tell, wait } = scene()
    const id = await webhook()
    await db.q.updateTable('channel').set({ events: '["operator"]' }).where('id', '=', id).execute()
    await tell({ type: 'operator', message: 'The disk is full.' })
    await wait(seconds(10))
    expect(told()).toEqual([])
    await db.q.updateTable('users').set({ roles: '{"Admin":2,"Tools":1}' }).where('id', '=', adaUser.id).execute()
    await tell({ type: 'operator', message: 'The disk is full.' })
    await wait(seconds(10))
    expect(told()).toEqual(['operator The disk is full. 1'])
    await db.q.updateTable('users').set({ roles: '{"Admin":0,"Tools":1}' }).where('id', '=', adaUser.id).execute()
  })

  test('nothing is sent while its user is not active or it is switched off', async () => {
    const { db, adaUser, fail, wait, ada, path } = scene()
    const id = await webhook()
    const setStatus = (status: number) =>
      db.q.updateTable('users').set({ status }).where('id', '=', adaUser.id).execute()
    await fail('a')
    await setStatus(1)
    await fail('b')
    await wait(minutes(2))
    await setStatus(2)
    await wait(minutes(2))
    await fail('c')
    await ada.patch(path, { id, status: false })
    await fail('d')
    await wait(minutes(2))
    await ada.patch(path, { id, status: true })
    await wait(minutes(2))
    expect(scene().services.visits).toEqual([])
    expect(await scene().pending()).toBe(0)
    await fail('e')
    await wait(minutes(2))
    expect(told()).toEqual(['entry.failing e 1'])
  })

  test('a message that fails is sent again under its id, without what changed meanwhile', async () => {
    const id = await webhook()
    answers('webhook', 'broken', 'reset', 'broken', 'ok')
    await scene().fail('a')
    await scene().wait(seconds(10))
    expect(await scene().read(id)).toMatchObject({ lastError: 'answered 503: try later', failingSince: scene().now() })
    await scene().fail('b')
    await scene().wait(seconds(4))
    expect(ids()).toHaveLength(1)
    await scene().wait(seconds(1))
    await scene().wait(seconds(30))
    expect(ids()).toHaveLength(3)
    await scene().wait(minutes(2))
    expect(new Set(ids()).size).toBe(1)
    expect(told()).toEqual(['entry.failing a 1'])
    expect(await scene().read(id)).toMatchObject({ lastError: null, failingSince: null, lastSentAt: scene().now() })
    await scene().wait(minutes(1))
    expect(told()).toEqual(['entry.failing a 1', 'entry.failing b 1'])
  })

  test('a message that is refused is held with what was said, and tried again hourly', async () => {
    const id = await webhook()
    answers('webhook', 'gone')
    await scene().fail('a')
    await scene().wait(seconds(10))
    expect(await scene().read(id)).toMatchObject({ lastError: 'answered 410: gone', status: true })
    await scene().wait(minutes(59))
    expect(ids()).toHaveLength(1)
    answers('webhook', 'ok')
    await scene().wait(minutes(1))
    expect(told()).toEqual(['entry.failing a 1'])
  })

  test('what is held is sent at once after an edit, and after a test that is accepted', async () => {
    const { ada, path, fail, wait } = scene()
    const id = await webhook()
    answers('webhook', 'gone')
    await fail('a')
    await wait(seconds(10))
    answers('webhook', 'ok')
    await ada.patch(path, { id, name: 'Mended' })
    await wait(0)
    expect(told()).toEqual(['entry.failing a 1'])
    await wait(minutes(5))
    answers('webhook', 'gone')
    await fail('b')
    await wait(seconds(10))
    expect((await ada.post(`${path}/test?id=${id}`)).status).toBe(202)
    await wait(0)
    expect(await scene().read(id)).toMatchObject({ lastError: 'answered 410: gone' })
    answers('webhook', 'ok')
    await ada.post(`${path}/test?id=${id}`)
    await wait(0)
    expect(told()).toEqual(['entry.failing a 1', 'test  0', 'entry.failing b 1'])
    expect(await scene().read(id)).toMatchObject({ lastError: null, failingSince: null })
  })

  test('a channel that fails for a day is switched off, which its user is told', async () => {
    const { db, adaUser, fail, wait } = scene()
    const id = await webhook({ name: 'Ops' })
    answers('webhook', 'gone')
    await fail('a')
    await wait(seconds(10))
    for (let hour = 0; hour < 24; hour += 1) {
      expect(await scene().read(id)).toMatchObject({ status: true })
      await wait(hours(1))
    }
    expect(await scene().read(id)).toMatchObject({ status: false, lastError: 'answered 410: gone' })
    expect(await scene().pending()).toBe(0)
    const notices = await db.q.selectFrom('notification').select(['user_id', 'message']).execute()
    expect(notices).toContainEqual({
      user_id: adaUser.id,
      message: 'Your Webhook channel “Ops” was switched off because it had failed for 24 hours (answered 410: gone).',
    })
    answers('webhook', 'ok')
    await wait(hours(2))
    expect(told()).toEqual([])
  })

  test('news wait until quiet hours end', async () => {
    const { fail, wait, now, stepClock } = scene()
    // To a Monday at noon.
    stepClock(Date.UTC(2026, 0, 12, 12) - now())
    await scene().work.runDue()
    await webhook({ quiet: { zone: 'UTC', days: [1], from: '12:00', to: '13:00' } })
    await fail('a')
    await wait(minutes(59))
    expect(told()).toEqual([])
    await fail('b')
    await wait(minutes(1))
    expect(told()).toEqual(['entry.failing a,b 2'])
  })

  test('a test comes in quiet hours, too, and to a channel that is switched off', async () => {
    const { ada, path, wait } = scene()
    const quiet = { zone: 'UTC', days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '23:59' }
    const id = await webhook({ quiet, status: false })
    await ada.post(`${path}/test?id=${id}`)
    await wait(0)
    expect(told()).toEqual(['test  0'])
  })

  test('what still fails is told again every so many hours, until it is over', async () => {
    const { ada, db, fail, wait } = scene()
    const { body: entry } = await ada.post('/api/v1/keepalive/', { url: 'http://127.0.0.1:9/', name: 'Shop' })
    await db.q.updateTable('entry').set({ incident_id: 'i' }).where('id', '=', entry.id).execute()
    await db.q.deleteFrom('job').execute()
    const at = scene().now()
    await db.q
      .insertInto('incident')
      .values({ id: `i${at}`, entry_id: entry.id, since: at, opened_at: at, closed_at: null, cause: 'answered 503' })
      .execute()
    const id = await webhook({ remindEvery: 4 })
    await fail('Shop')
    await wait(seconds(10))
    await wait(hours(3))
    expect(told()).toEqual(['entry.failing Shop 1'])
    await wait(hours(1))
    await wait(hours(4))
    expect(told()).toEqual(Array(3).fill('entry.failing Shop 1'))
    for (const status of [false, true]) {
      await ada.patch(scene().path, { id, status })
      await wait(hours(4))
    }
    expect(told()).toHaveLength(4)
    await sql`update incident set closed_at = ${scene().now()}`.execute(db.q)
    await wait(days(1))
    expect(told()).toHaveLength(4)
    expect(await db.q.selectFrom('job').select('id').execute()).toEqual([])
  })

  test('a clock that is set delays nothing and ends nothing early', async () => {
    const { fail, wait, stepClock } = scene()
    const id = await webhook()
    answers('webhook', 'gone')
    await fail('a')
    await wait(seconds(10))
    for (let n = 0; n < 6; n += 1) await wait(hours(1))
    stepClock(days(2))
    await wait(hours(1))
    expect(await scene().read(id)).toMatchObject({ status: true })
    stepClock(-days(3))
    answers('webhook', 'ok')
    await wait(hours(1))
    expect(told()).toEqual(['entry.failing a 1'])
    await fail('b')
    await wait(minutes(1))
    expect(told()).toEqual(['entry.failing a 1', 'entry.failing b 1'])
    stepClock(days(1))
    await scene().work.runDue()
  })

  test('two instances send each message once', async () => {
    await webhook()
    const other = scene().secondWorker()
    for (let n = 0; n < 8; n += 1) {
      await scene().fail(`e${n}`)
      scene().pass(minutes(1))
      await Promise.all([scene().work.runDue(), other.runDue()])
    }
    expect(told().sort()).toEqual(Array.from({ length: 8 }, (_, n) => `entry.failing e${n} 1`))
    expect(new Set(ids()).size).toBe(8)
  })

  test('a channel goes with its user, and its jobs end', async () => {
    const { db, wait } = scene()
    const { id } = await scene().person(`gone${scene().now()}`)
    await scene().channel('telegram', scene().services.telegram())
    await db.q.updateTable('channel').set({ user_id: id }).execute()
    await scene().tell(scene().entryNews('failing', 'a', id))
    await db.q.deleteFrom('users').where('id', '=', id).execute()
    await wait(seconds(10))
    expect(scene().services.visits).toEqual([])
    expect(await scene().pending()).toBe(0)
    expect(await db.q.selectFrom('job').select('id').execute()).toEqual([])
  })
})
