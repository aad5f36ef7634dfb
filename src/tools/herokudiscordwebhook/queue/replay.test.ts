import { describe, expect, test } from 'vitest'
import { bothDialects } from '../../../../test/support/database/databases.ts'
import { deliveryScene } from '../../../../test/support/scenes/relay/delivery-scene.ts'
import { payloadOf } from '../../../../test/support/scenes/relay/example-events.ts'
import { release } from '../../../../test/support/scenes/relay/relay.ts'
import { recordEvents } from '../../../../test/support/toolbox.ts'
import { days, seconds } from '../../../shared/time.ts'
import { server } from '../server.ts'

describe.each(bothDialects)('past deliveries of a relay on %s', async (dialect) => {
  const { box, hook, relay, deliver, states, patch, holding, send, runAfter } = await deliveryScene(dialect)

  const replay = async (body: object = {}) =>
    (await box.ada.post(`${box.base}/deliveries/replay`, { id: relay.id, ...body })).body.count

  test('a replay sends all held events in order, before later events', async () => {
    await holding(1, 2, 3)
    box.pass(1)
    await box.deliver(relay, release(4))
    box.pass(1)
    expect(await replay({ state: 'held' })).toBe(3)
    await box.work.runDue()
    expect(box.discord.postedTitles(hook)).toEqual(
      [1, 2, 3, 4].map((version) => expect.stringContaining(`v${version}`)),
    )
    expect(await replay()).toBe(0)
  })

  test('a replayed event is sent before a later one that waits for a retry, whose wait stays the same', async () => {
    await box.deliver(relay, release(1))
    await box.work.runDue()
    const [first] = await box.deliveries(relay.id)
    box.discord.forget()
    box.discord.answers(hook, 'broken')
    await box.deliver(relay, release(2))
    await box.work.runDue()
    box.discord.answers(hook, 'ok')
    expect(await replay({ deliveries: [first!.id] })).toBe(1)
    await box.work.runDue()
    expect(box.discord.postedTitles(hook)).toEqual([expect.stringContaining('v1')])
    box.discord.answers(hook, 'broken')
    await runAfter(seconds(5))
    box.pass(seconds(30) - 1)
    box.discord.answers(hook, 'ok')
    await box.work.runDue()
    expect(box.discord.postedTitles(hook)).toHaveLength(1)
    await runAfter(1)
    expect(box.discord.postedTitles(hook)).toEqual([expect.stringContaining('v1'), expect.stringContaining('v2')])
  })

  test('a replay by id or since a time includes delivered events', async () => {
    await holding(1)
    await box.deliver(relay, release(2))
    expect(await replay()).toBe(1)
    await box.work.runDue()
    box.pass(1)
    const since = box.now()
    await box.deliver(relay, release(3))
    await patch({ status: false })
    await box.deliver(relay, release(4))
    await box.work.runDue()
    expect(await states()).toEqual(['delivered', 'delivered', 'delivered', 'ignored'])
    box.discord.forget()
    expect(await replay({ since })).toBe(1)
    expect(await replay({ since })).toBe(0)
    const [ignored, , , first] = await box.deliveries(relay.id)
    expect(await replay({ deliveries: [ignored!.id, first!.id, 'unknown'] })).toBe(2)
    expect(await replay({ deliveries: [ignored!.id], state: 'held' })).toBe(0)
    await box.work.runDue()
    expect(box.discord.postedTitles(hook)).toEqual([1, 3, 4].map((version) => expect.stringContaining(`v${version}`)))
  })

  test('an entry reports how many of its events are held, in lists too', async () => {
    await box.deliver(await box.relay(box.discord.webhook()), release(9))
    expect(await box.read(relay.id)).toMatchObject({ held: 0 })
    await holding(1, 2)
    expect(await box.read(relay.id)).toMatchObject({ held: 2 })
    const list: { id: string; held: number }[] = (await box.ada.get(`${box.base}/list`)).body
    expect(list.map(({ id, held }) => [id === relay.id, held]).sort()).toEqual([
      [false, 0],
      [true, 2],
    ])
    expect(await replay({ state: 'held' })).toBe(2)
    expect(await box.read(relay.id)).toMatchObject({ held: 0 })
  })

  test('an entry reports how many of its events wait for Discord, apart from held ones', async () => {
    box.discord.answers(hook, 'broken')
    await send(2)
    expect(await box.read(relay.id)).toMatchObject({ held: 0, waiting: 2 })
    const { body: runs } = await box.ada.get(`${box.base}/deliveries?id=${relay.id}&state=run`)
    expect(runs).toMatchObject([{ attempts: 0 }, { attempts: 1 }])
    for (const wait of [5, 30]) {
      await runAfter(seconds(wait))
    }
    expect(await box.read(relay.id)).toMatchObject({ held: 1, waiting: 1 })
    box.discord.answers(hook, 'ok')
    await runAfter(seconds(5))
    expect(await box.read(relay.id)).toMatchObject({ held: 1, waiting: 0 })
  })

  test('an entry reports why its events wait, and until when', async () => {
    const retry = async () => (await box.read(relay.id)).retry
    await deliver(2)
    expect(await retry()).toBeNull()
    box.discord.answers(hook, 'broken')
    await box.work.runDue()
    expect(await retry()).toEqual({ at: box.now() + seconds(5), why: 'answered 500: Internal Server Error' })
    box.discord.answers(hook, { limited: { retryAfter: 1800 } })
    await runAfter(seconds(5))
    const limited = { at: box.now() + seconds(1800), why: 'answered 429: You are being rate limited.' }
    expect(await retry()).toEqual(limited)
    expect((await box.ada.get(`${box.base}/list`)).body).toMatchObject([{ retry: limited }])
    await box.ada.post(`${box.base}/test?id=${relay.id}`)
    expect(await retry()).toEqual({ ...limited, at: box.now() })
    const { recorded, stop } = recordEvents(box.context)
    await box.work.runDue()
    stop()
    expect(recorded).toMatchObject([{ type: 'entry', data: { id: relay.id } }])
    expect(await retry()).toEqual(limited)
    box.discord.answers(hook, 'ok')
    await runAfter(seconds(1800))
    expect(await retry()).toBeNull()
  })

  test('replayed events that wait for a rate limit are not reported as failed', async () => {
    await holding(1, 2)
    box.discord.answers(hook, { last: 5 })
    expect(await replay()).toBe(2)
    await box.work.runDue()
    expect(await box.read(relay.id)).toMatchObject({ waiting: 1, retry: null })
    await runAfter(seconds(5))
    expect(await states()).toEqual(['delivered', 'delivered'])
  })

  test('a replay of an empty list of deliveries replays nothing', async () => {
    await holding(1)
    expect(await replay({ deliveries: [] })).toBe(0)
  })

  test('a delivery shows its stored event to the owner of its entry only', async () => {
    await box.deliver(relay, payloadOf('build-succeeded'))
    const [delivery] = await box.deliveries(relay.id)
    const answer = await box.ada.get(`${box.base}/delivery?id=${relay.id}&delivery=${delivery!.id}`)
    expect(answer.body).toMatchObject({ ...delivery, payload: { resource: 'build' } })
    expect((await box.ada.get(`${box.base}/delivery?id=${relay.id}&delivery=unknown`)).status).toBe(404)
    const eve = box.as(await box.createPerson(`eve${box.now()}`))
    expect((await eve.get(`${box.base}/delivery?id=${relay.id}&delivery=${delivery!.id}`)).status).toBe(404)
  })

  test('a preview shows the last event or a named example, and why the filter would drop it', async () => {
    const preview = async (body: object) => (await box.ada.post(`${box.base}/preview`, body)).body
    const first = await preview({ id: relay.id })
    expect(first).toMatchObject({ example: first.examples[0].name, dropped: null })
    await box.deliver(relay, payloadOf('dyno-crashed'))
    const role = '223456789012345678'
    const last = await preview({ id: relay.id, filter: { preset: 'deploys' }, mentionRole: role })
    expect(last).toMatchObject({ example: null, dropped: expect.any(String), message: { content: `<@&${role}>` } })
    expect(await preview({ id: relay.id, example: 'release-succeeded', showActor: true })).toMatchObject({
      example: 'release-succeeded',
      dropped: null,
      message: { embeds: [{ title: expect.stringContaining('v42') }] },
    })
    expect(await preview({ example: 'constructor' })).toMatchObject({ fields: { example: expect.any(String) } })
  })

  test('a delivery of another entry is neither shown nor replayed', async () => {
    await holding(1)
    const [delivery] = await box.deliveries(relay.id)
    const other = await box.relay(hook)
    expect((await box.ada.get(`${box.base}/delivery?id=${other.id}&delivery=${delivery!.id}`)).status).toBe(404)
    const body = { id: other.id, deliveries: [delivery!.id] }
    expect((await box.ada.post(`${box.base}/deliveries/replay`, body)).body).toEqual({ count: 0 })
    expect(await states()).toEqual(['held'])
  })

  // The last test, because the session expires.
  test('are kept for 30 days if they are finished, and without limit if they wait', async () => {
    const storedStates = async () => {
      await server.cleanUp!(box.context)
      const rows = await box.db.q.selectFrom('relay_event').select('state').execute()
      return rows.map(({ state }) => state).sort()
    }
    await send(1)
    await deliver(1)
    box.pass(days(30) - 1)
    expect(await storedStates()).toEqual(['accepted', 'delivered'])
    box.pass(1)
    expect(await storedStates()).toEqual(['accepted'])
  })
})
