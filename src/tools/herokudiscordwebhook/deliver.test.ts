import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/databases.ts'
import type { Answer, FakeHook } from '../../../test/fake-discord.ts'
import { type Relay, type Relaybox, relaybox, release } from '../../../test/relay.ts'
import { hours, minutes, seconds } from '../../shared/time.ts'
import { deliver as work } from './deliver.ts'
import { examples } from './examples/examples.ts'

describe.each(dialects)('what Heroku delivered, on its way to Discord on %s', (dialect) => {
  let box: Relaybox
  let hook: FakeHook
  let relay: Relay
  let version = 0

  beforeAll(async () => {
    box = await relaybox(dialect)
  })
  afterAll(() => box.close())
  beforeEach(async () => {
    await box.db.q.deleteFrom('entry').execute()
    // Whatever a test made Discord ask for is over.
    box.pass(hours(2))
    hook = box.discord.webhook()
    relay = await box.relay(hook)
    box.discord.forget()
    version = 0
  })

  /** Heroku delivers so many releases, one after the other. */
  const deliver = async (count: number, to = relay) => {
    for (let i = 0; i < count; i++) {
      box.pass(1)
      version += 1
      expect(await box.deliver(to, release(version))).toBe(204)
    }
  }
  const titles = (...versions: number[]) => versions.map((each) => expect.stringContaining(`v${each}`))
  const said = () => box.discord.said(hook)
  const states = async (id = relay.id) => (await box.deliveries(id)).map(({ state }) => state).toReversed()
  const history = async (id = relay.id): Promise<{ success: boolean; note: string }[]> => (await box.read(id)).history
  const notices = () => box.db.q.selectFrom('notification').select(['user_id', 'message', 'author']).execute()

  test('is one message, one run of the history and nothing left to do', async () => {
    await deliver(1)
    await box.work.runDue()
    expect(said()).toEqual(titles(1))
    expect(await box.deliveries(relay.id)).toMatchObject([{ state: 'delivered', attempts: 1, note: 'answered 200' }])
    expect(await history()).toMatchObject([{ success: true, note: 'api:release · update' }])
    expect(await box.db.q.selectFrom('job').select('id').execute()).toEqual([])
    expect(box.discord.faults).toEqual([])
  })

  test('goes to the thread, calls the role and shows the actor that the entry names', async () => {
    const options = { threadId: '123456789012345678', mentionRole: '223456789012345678', showActor: true }
    await box.ada.patch(box.base, { id: relay.id, ...options })
    const failed = examples.find(({ name }) => name === 'release-failed')!.payload
    await box.deliver(relay, failed)
    await box.work.runDue()
    const [posted] = box.discord.posted
    expect(posted).toMatchObject({ thread: options.threadId, message: { content: '<@&223456789012345678>' } })
    expect(JSON.stringify(posted)).toContain('ada@lantern.example')
  })

  test('every example is a message that Discord takes', async () => {
    for (const { payload } of examples) await box.deliver(relay, payload)
    await box.work.runDue()
    expect(new Set(await states())).toEqual(new Set(['delivered']))
    expect(box.discord.calls).toHaveLength(examples.length)
    expect(box.discord.faults).toEqual([])
  })

  test.each<[string, Answer]>([
    ['answers 500', 'broken'],
    ['breaks the connection', 'reset'],
  ])('waits and tries again when Discord %s, and what came later waits with it', async (_what, answer) => {
    box.discord.answers(hook, answer, answer, 'ok')
    await deliver(3)
    await box.work.runDue()
    expect(box.discord.calls).toHaveLength(1)
    box.pass(seconds(5) - 1)
    await box.work.runDue()
    expect(box.discord.calls).toHaveLength(1)
    box.pass(1)
    await box.work.runDue()
    expect(box.discord.calls).toHaveLength(2)
    expect(await states()).toEqual(['accepted', 'accepted', 'accepted'])
    expect(await history()).toEqual([])
    box.pass(seconds(30))
    await box.work.runDue()
    expect(said()).toEqual(titles(1, 2, 3))
    expect((await box.deliveries(relay.id)).map(({ attempts }) => attempts)).toEqual([1, 1, 3])
    expect(box.discord.faults).toEqual([])
  })

  test('is held after the last attempt, and the next one has its own', async () => {
    box.discord.answers(hook, 'broken', 'broken', 'broken', 'ok')
    await deliver(2)
    for (const wait of [0, 5, 30]) {
      box.pass(seconds(wait))
      await box.work.runDue()
    }
    expect(await states()).toEqual(['held', 'delivered'])
    expect(await history()).toMatchObject([
      { success: true },
      { success: false, note: 'api:release · update: answered 500: 500: Internal Server Error' },
    ])
  })

  test('waits as long as Discord says without losing an attempt, and only its own webhook waits', async () => {
    const other = box.discord.webhook()
    const free = await box.relay(other)
    const limited: Answer = { limited: { retryAfter: 0.5, header: 3 } }
    box.discord.answers(hook, ...Array(5).fill(limited), 'ok')
    await deliver(2)
    for (let round = 0; round < 5; round++) {
      await box.work.runDue()
      box.pass(seconds(3) - 1)
      await box.work.runDue()
      expect(box.discord.posted).toEqual([])
      box.pass(1)
    }
    box.discord.answers(hook, limited, 'ok')
    await box.work.runDue()
    await deliver(1, free)
    await box.work.runDue()
    expect(box.discord.said(other)).toHaveLength(1)
    expect(said()).toEqual([])
    box.pass(seconds(3))
    await box.work.runDue()
    expect(said()).toEqual(titles(1, 2))
  })

  test.each<[string, Answer, number]>([
    ['is limited globally', { limited: { retryAfter: 7, global: true } }, seconds(7)],
    ['has banned the address for a time', { ban: { retryAfter: 3_600 } }, hours(1)],
    ['has banned the address and does not say how long', { ban: {} }, minutes(10)],
  ])('when Discord %s, nothing is sent anywhere until that is over', async (_what, answer, wait) => {
    const other = box.discord.webhook()
    const second = await box.relay(other)
    box.discord.answers(hook, answer, 'ok')
    await deliver(1)
    await box.work.runDue()
    box.discord.forget()
    await deliver(1, second)
    box.pass(wait - 2)
    await box.work.runDue()
    expect(box.discord.calls).toEqual([])
    box.pass(1)
    await box.work.runDue()
    expect([...said(), ...box.discord.said(other)]).toEqual(titles(1, 2))
    expect(await box.deliveries(relay.id)).toMatchObject([{ attempts: 2 }])
  })

  test('rests when Discord says that it was the last one for now', async () => {
    box.discord.answers(hook, { last: 1.5 }, 'ok')
    await deliver(2)
    await box.work.runDue()
    expect(said()).toEqual(titles(1))
    box.pass(seconds(1.5))
    await box.work.runDue()
    expect(said()).toEqual(titles(1, 2))
    expect(box.discord.calls).toHaveLength(2)
  })

  test('is sent once more as plain text when Discord does not like it, and then held', async () => {
    box.discord.answers(hook, 'plain only')
    await deliver(1)
    await box.work.runDue()
    expect(box.discord.posted[0]!.message).toMatchObject({ content: expect.stringContaining('v1') })
    expect(await box.deliveries(relay.id)).toMatchObject([
      { state: 'delivered', attempts: 2, note: 'answered 200 as plain text' },
    ])
    box.discord.answers(hook, 'invalid', 'invalid', 'ok')
    await deliver(2)
    await box.work.runDue()
    expect(await states()).toEqual(['delivered', 'held', 'delivered'])
    expect((await box.read(relay.id)).blocked).toBeNull()
  })

  test.each<[Answer, string]>([
    ['unknown', 'answered 404: Unknown Webhook'],
    ['unauthorized', 'answered 401: Invalid Webhook Token'],
    ['forbidden', 'answered 403: Missing Permissions'],
  ])(
    'when the webhook is %s, everything for it is held after one call, and the owner is told once',
    async (answer, why) => {
      await box.db.q.deleteFrom('notification').execute()
      box.discord.answers(hook, answer)
      await deliver(3)
      const heard: string[] = []
      const stop = box.kit.events.hear(({ type }) => heard.push(type))
      await box.work.runDue()
      stop()
      expect(heard.toSorted()).toEqual(['entry', 'notification', 'run', 'run', 'run'])
      expect(box.discord.calls).toHaveLength(1)
      expect(await states()).toEqual(['held', 'held', 'held'])
      expect((await history()).map(({ success }) => success)).toEqual([false, false, false])
      expect((await box.read(relay.id)).blocked).toEqual({ at: box.now(), why })
      expect(await notices()).toEqual([
        { user_id: box.adaUser.id, author: 'ToolBox', message: expect.stringContaining(why) },
      ])
      await deliver(1)
      await box.work.runDue()
      expect(box.discord.calls).toHaveLength(1)
      expect(await states()).toEqual(['held', 'held', 'held', 'held'])
      expect(await notices()).toHaveLength(1)
    },
  )

  test('entries that share a webhook are held together, each owner is told, and order is one', async () => {
    await box.db.q.deleteFrom('notification').execute()
    const boss = box.as(await box.person(`boss${box.now()}`, 2))
    const { body } = await boss.post(`${box.base}/`, { discordHook: hook.url })
    const second = { id: body.id, secret: body.secret, path: new URL(body.herokuEndpoint).pathname }
    await deliver(1)
    await deliver(1, second)
    await deliver(1)
    await box.work.runDue()
    expect(said()).toEqual(titles(1, 2, 3))
    box.discord.answers(hook, 'unknown')
    await deliver(1)
    await deliver(1, second)
    await box.work.runDue()
    expect((await boss.get(`${box.base}?id=${second.id}`)).body.blocked).not.toBeNull()
    expect(new Set((await notices()).map(({ user_id }) => user_id)).size).toBe(2)
    expect(box.discord.faults).toEqual([])
  })

  test('a new webhook gets what waits and what comes, and by a replay what was held, in order', async () => {
    box.discord.answers(hook, 'unknown')
    await deliver(2)
    await box.work.runDue()
    const better = box.discord.webhook()
    const answer = await box.ada.patch(box.base, { id: relay.id, discordHook: better.url })
    expect(answer.body).toMatchObject({ blocked: null, webhookId: better.id })
    await deliver(1)
    expect((await box.ada.post(`${box.base}/deliveries/replay`, { id: relay.id })).body).toEqual({ count: 2 })
    await box.work.runDue()
    expect(box.discord.said(better)).toEqual(titles(1, 2, 3))
    expect(await states()).toEqual(['delivered', 'delivered', 'delivered'])
  })

  test('what waits for another attempt follows its entry to a new webhook', async () => {
    box.discord.answers(hook, 'broken')
    await deliver(2)
    await box.work.runDue()
    const better = box.discord.webhook()
    await box.ada.patch(box.base, { id: relay.id, discordHook: better.url })
    expect(await box.db.q.selectFrom('job').select('lane').distinct().execute()).toEqual([{ lane: better.id }])
    box.pass(seconds(5))
    await box.work.runDue()
    expect(box.discord.said(better)).toEqual(titles(1, 2))
  })

  test('is held while its owner is not active', async () => {
    await deliver(1)
    const owner = box.db.q.updateTable('users').where('id', '=', box.adaUser.id)
    await owner.set({ status: 0 }).execute()
    await box.work.runDue()
    await owner.set({ status: 2 }).execute()
    expect(box.discord.calls).toEqual([])
    expect(await states()).toEqual(['held'])
  })

  test('a Discord that hangs keeps neither Heroku nor other webhooks waiting', async () => {
    const other = box.discord.webhook()
    const free = await box.relay(other)
    box.discord.answers(hook, 'hang', 'ok')
    await deliver(2)
    const working = box.work.runDue()
    await expect.poll(() => box.discord.hanging()).toBe(1)
    await deliver(1, free)
    await box.anotherWorker().runDue()
    expect(box.discord.said(other)).toEqual(titles(3))
    expect(said()).toEqual([])
    box.discord.letGo()
    await working
    box.pass(seconds(5))
    await box.work.runDue()
    expect(said()).toEqual(titles(1, 2))
    expect(box.discord.faults).toEqual([])
  })

  test('is delivered at least once when whoever held it dies, and still in order', async () => {
    await deliver(3)
    const dead = await box.kit.jobs.claim(box.now(), minutes(1), 10)
    expect(dead).toHaveLength(1)
    const survivor = box.anotherWorker()
    await survivor.runDue()
    expect(box.discord.calls).toEqual([])
    box.pass(minutes(1))
    await survivor.runDue()
    expect(said()).toEqual(titles(1, 2, 3))
    expect(await states()).toEqual(['delivered', 'delivered', 'delivered'])
  })

  test('a holder who comes back late changes nothing about what another one has delivered', async () => {
    box.discord.answers(hook, 'hang', 'ok')
    await deliver(1)
    const late = box.work.runDue()
    await expect.poll(() => box.discord.hanging()).toBe(1)
    box.pass(minutes(1) + 1)
    await box.anotherWorker().runDue()
    expect(said()).toEqual(titles(1))
    await box.db.q.deleteFrom('notification').execute()
    box.discord.denyHanging()
    await late
    expect(await states()).toEqual(['delivered'])
    expect(await history()).toHaveLength(1)
    expect((await box.read(relay.id)).blocked).toBeNull()
    expect(await notices()).toEqual([])
    expect(await box.db.q.selectFrom('job').select('id').execute()).toEqual([])
  })

  test('two of one webhook that were claimed at once are both put back, and go out in order', async () => {
    await deliver(2)
    await box.db.q
      .updateTable('job')
      .set({ lease_by: 'another', free_at: box.now() + minutes(1) })
      .execute()
    const jobs = await box.db.q.selectFrom('job').selectAll().orderBy('id').execute()
    for (const { id, lane, turn_at: turnAt, due_at: dueAt } of jobs) {
      const entry = await box.db.q.selectFrom('entry').selectAll().executeTakeFirstOrThrow()
      const job = { id, kind: 'delivery', entryId: relay.id, lane, payload: null, turnAt, dueAt, attempt: 0 }
      const its = { id: relay.id, tool: entry.tool, ownerId: entry.owner_id, ownerActive: true }
      const result = await work(job, { ...its, stored: JSON.parse(entry.settings) }, box.kit).run()
      expect(result).toEqual({ verdict: { id, turnAt, dueAt: box.now(), attempt: 0 } })
    }
    expect(box.discord.calls).toEqual([])
    box.pass(minutes(1))
    await box.work.runDue()
    expect(said()).toEqual(titles(1, 2))
  })

  test('several instances at once send everything once, in order, one at a time for a webhook', async () => {
    const hooks = [hook, box.discord.webhook(), box.discord.webhook()]
    const relays = [relay, await box.relay(hooks[1]!), await box.relay(hooks[2]!)]
    const versions = hooks.map((): number[] => [])
    for (let round = 0; round < 5; round++)
      for (const [at, one] of relays.entries()) {
        await deliver(1, one)
        versions[at]!.push(version)
      }
    const others = [box.anotherWorker(), box.anotherWorker()]
    await Promise.all([box.work, ...others].map((one) => one.runDue()))
    box.pass(seconds(1))
    await box.work.runDue()
    for (const [at, one] of hooks.entries()) expect(box.discord.said(one)).toEqual(titles(...versions[at]!))
    expect(box.discord.faults).toEqual([])
  })

  test('no more than 40 calls leave in a second', async () => {
    const many = await Promise.all(Array.from({ length: 45 }, () => box.relay(box.discord.webhook())))
    box.pass(seconds(1))
    box.discord.forget()
    await Promise.all(many.map((one, at) => box.deliver(one, release(at))))
    await box.work.runDue()
    expect(box.discord.calls).toHaveLength(40)
    box.pass(seconds(1) - 1)
    await box.work.runDue()
    expect(box.discord.calls).toHaveLength(40)
    box.pass(seconds(0.2))
    await box.work.runDue()
    expect(box.discord.calls).toHaveLength(45)
  })
})
