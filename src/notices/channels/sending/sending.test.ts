import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { webhookScene } from '../../../../test/support/scenes/relay/webhook-scene.ts'
import type { Notice } from '../../../platform/notice.ts'
import { minutes, seconds } from '../../../shared/time.ts'

describe.each(dialects)('messages of channels on %s', async (dialect) => {
  const { scene, webhook, payloads, summaries, ids, jobs } = await webhookScene(dialect)

  test('groups changes within ten seconds into one message, and sends the next a minute later', async () => {
    await webhook()
    const { fail, wait } = scene
    await fail('a')
    await wait(seconds(9))
    await fail('b')
    expect(summaries()).toEqual([])
    await wait(seconds(1))
    expect(summaries()).toEqual(['entry.failing a,b 2'])
    expect(await jobs()).toBe(0)
    await wait(seconds(2))
    await fail('c')
    await wait(seconds(57))
    expect(summaries()).toHaveLength(1)
    await fail('d')
    await wait(seconds(1))
    expect(summaries()).toEqual(['entry.failing a,b 2', 'entry.failing c,d 2'])
    await wait(minutes(10))
    expect(summaries()).toHaveLength(2)
    expect(await scene.pending()).toBe(0)
    expect(await jobs()).toBe(0)
  })

  test('sends a thousand failures as one message that names the first ten', async () => {
    await webhook()
    const names = Array.from({ length: 1_000 }, (_, n) => `e${String(n).padStart(3, '0')}`)
    for (let n = 0; n < 1_000; n += 250) await scene.fail(...names.slice(n, n + 250))
    await scene.wait(seconds(10))
    await scene.wait(minutes(5))
    expect(scene.services.received).toHaveLength(1)
    const { data } = payloads()[0]!
    expect(data.count).toBe(1_000)
    expect(new Set(data.entries.map(({ name }) => name)).size).toBe(10)
    await scene.channel('telegram', scene.services.telegram())
    await scene.fail(...names)
    await scene.wait(minutes(1))
    expect(scene.services.received.find(({ service }) => service === 'telegram')?.body.text).toMatch(
      /^1,000 entries are failing\n(?:• .*\n){10}and 990 more\nhttp/,
    )
  })

  test('sends failures, recoveries and blocked relays as separate messages, a minute apart', async () => {
    await webhook()
    const { entryNews, notify, wait } = scene
    await notify(entryNews('failing', 'a'), entryNews('recovered', 'b'), entryNews('blocked', 'c'))
    const sent = async (ms: number) => {
      const before = summaries().length
      await wait(ms)
      return summaries().slice(before)
    }
    const first = await sent(seconds(10))
    expect(await sent(seconds(59))).toEqual([])
    const second = await sent(seconds(1))
    expect(await sent(seconds(59))).toEqual([])
    const third = await sent(seconds(1))
    expect([first, second, third].map(({ length }) => length)).toEqual([1, 1, 1])
    expect([...first, ...second, ...third].toSorted()).toEqual([
      'entry.failing a 1',
      'entry.recovered b 1',
      'relay.blocked c 1',
    ])
  })

  test('sends the changes of an entry in order', async () => {
    await webhook()
    const { entryNews, notify, wait } = scene
    for (const [type, name] of [
      ['recovered', 'c'],
      ['failing', 'a'],
      ['recovered', 'a'],
      ['failing', 'b'],
    ] as const) {
      await notify(entryNews(type, name))
      scene.pass(1)
    }
    await wait(seconds(10))
    for (const _ of ['failing', 'recovered']) await wait(minutes(1))
    expect(summaries()).toEqual(['entry.recovered c 1', 'entry.failing a,b 2', 'entry.recovered a 1'])
  })

  test('sends a channel only the chosen events, and only about its user’s entries', async () => {
    const { id } = await scene.channel('telegram', scene.services.telegram(), { events: ['failing'] })
    await webhook({ events: ['recovered', 'account'], tools: ['keepalive'] })
    const { db, entryNews, notify, wait, adaUser } = scene
    await db.q.updateTable('channel').set({ entries: '["id of b"]' }).where('id', '=', id).execute()
    const eve = await scene.createPerson(`eve${scene.now()}`)
    const ofOtherTool = {
      ...entryNews('recovered', 'x'),
      entry: { id: 'x', tool: 'other', name: 'x', about: '', url: '' },
    }
    await notify(
      entryNews('failing', 'a'),
      entryNews('failing', 'b'),
      entryNews('recovered', 'c'),
      entryNews('recovered', 'eve’s', eve.id),
      ofOtherTool as Notice,
      { type: 'account', userId: adaUser.id, message: 'New sign-in' },
      { type: 'account', userId: eve.id, message: 'Not hers' },
      { type: 'operator', message: 'Not for her' },
    )
    await wait(seconds(10))
    await wait(minutes(1))
    const texts = scene.services.received.flatMap(({ body }) => (body.text === undefined ? [] : String(body.text)))
    expect(texts).toEqual([expect.stringMatching(/^b is failing\n/)])
    scene.services.received.splice(0, 99, ...scene.services.received.filter(({ service }) => service === 'webhook'))
    expect(summaries().sort()).toEqual(['account New sign-in 1', 'entry.recovered c 1'])
  })

  test('sends server problems only to active admins who chose them', async () => {
    const { db, adaUser, notify, wait } = scene
    const id = await webhook()
    await db.q.updateTable('channel').set({ events: '["operator"]' }).where('id', '=', id).execute()
    await notify({ type: 'operator', message: 'The disk is full.' })
    await wait(seconds(10))
    expect(summaries()).toEqual([])
    await db.q.updateTable('users').set({ roles: '{"Admin":2,"Tools":1}' }).where('id', '=', adaUser.id).execute()
    await notify({ type: 'operator', message: 'The disk is full.' })
    await wait(seconds(10))
    expect(summaries()).toEqual(['operator The disk is full. 1'])
    await db.q.updateTable('users').set({ roles: '{"Admin":0,"Tools":1}' }).where('id', '=', adaUser.id).execute()
  })

  test('two instances send each message only once', async () => {
    await webhook()
    const other = scene.secondWorker()
    for (let n = 0; n < 8; n += 1) {
      await scene.fail(`e${n}`)
      scene.pass(minutes(1))
      await Promise.all([scene.work.runDue(), other.runDue()])
    }
    expect(summaries().sort()).toEqual(Array.from({ length: 8 }, (_, n) => `entry.failing e${n} 1`))
    expect(new Set(ids()).size).toBe(8)
  })

  test('deleting a user deletes the user’s channels and ends their jobs', async () => {
    const { db, wait } = scene
    const { id } = await scene.createPerson(`gone${scene.now()}`)
    await scene.channel('telegram', scene.services.telegram())
    await db.q.updateTable('channel').set({ user_id: id }).execute()
    await scene.notify(scene.entryNews('failing', 'a', id))
    await db.q.deleteFrom('users').where('id', '=', id).execute()
    await wait(seconds(10))
    expect(scene.services.visits).toEqual([])
    expect(await scene.pending()).toBe(0)
    expect(await jobs()).toBe(0)
  })
})
