import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import type { Answer } from '../../../../test/support/fakes/fake-discord.ts'
import { deliveryScene } from '../../../../test/support/scenes/relay/delivery-scene.ts'
import { recordEvents } from '../../../../test/support/toolbox.ts'
import { hours, minutes, seconds } from '../../../shared/time.ts'
import { examples } from '../event/examples.ts'

describe.each(dialects)('an event to deliver to Discord on %s', async (dialect) => {
  const { box, hook, relay, deliver, titles, posted, states, history, notices, send, runAfter } =
    await deliveryScene(dialect)

  test('makes one message and one run in the history, and leaves no job', async () => {
    await send(1)
    expect(posted()).toEqual(titles(1))
    expect(await box.deliveries(relay.id)).toMatchObject([{ state: 'delivered', attempts: 1, note: 'answered 200' }])
    expect(await history()).toMatchObject([{ success: true, note: 'api:release · update' }])
    expect(await box.db.q.selectFrom('job').select('id').execute()).toEqual([])
    expect(box.discord.faults).toEqual([])
  })

  test('is posted to the thread, mentions the role and shows the actor as configured', async () => {
    const options = { threadId: '123456789012345678', mentionRole: '223456789012345678', showActor: true }
    await box.ada.patch(box.base, { id: relay.id, ...options })
    const failed = examples.find(({ name }) => name === 'release-failed')!.payload
    await box.deliver(relay, failed)
    await box.work.runDue()
    const [posted] = box.discord.posted
    expect(posted).toMatchObject({ thread: options.threadId, message: { content: '<@&223456789012345678>' } })
    expect(JSON.stringify(posted)).toContain('ada@lantern.example')
  })

  test('makes a message that Discord accepts, for every example', async () => {
    for (const { payload } of examples) await box.deliver(relay, payload)
    await box.work.runDue()
    expect(new Set(await states())).toEqual(new Set(['delivered']))
    expect(box.discord.calls).toHaveLength(examples.length)
    expect(box.discord.faults).toEqual([])
  })

  test.each<[string, Answer]>([
    ['answers 500', 'broken'],
    ['breaks the connection', 'reset'],
  ])('is retried when Discord %s, and later events wait for it', async (_what, answer) => {
    box.discord.answers(hook, answer, answer, 'ok')
    await send(3)
    expect(box.discord.calls).toHaveLength(1)
    await runAfter(seconds(5) - 1)
    expect(box.discord.calls).toHaveLength(1)
    await runAfter(1)
    expect(box.discord.calls).toHaveLength(2)
    expect(await states()).toEqual(['accepted', 'accepted', 'accepted'])
    expect(await history()).toEqual([])
    await runAfter(seconds(30))
    expect(posted()).toEqual(titles(1, 2, 3))
    expect((await box.deliveries(relay.id)).map(({ attempts }) => attempts)).toEqual([1, 1, 3])
    expect(box.discord.faults).toEqual([])
  })

  test('is held after the last attempt, and the next event has its own attempts', async () => {
    box.discord.answers(hook, 'broken', 'broken', 'broken', 'ok')
    await deliver(2)
    const { recorded, stop } = recordEvents(box.context)
    for (const wait of [0, 5, 30]) {
      await runAfter(seconds(wait))
    }
    stop()
    // Screens are updated after every attempt, even before a retry, and when the relay starts and stops failing.
    expect(recorded.map(({ type }) => type)).toEqual(['entry', 'entry', 'entry', 'run', 'entry', 'run'])
    expect(await states()).toEqual(['held', 'delivered'])
    expect(await history()).toMatchObject([
      { success: true },
      { success: false, note: 'answered 500: Internal Server Error (api:release · update)' },
    ])
  })

  test('waits as long as Discord requests without using up an attempt, and delays no other webhook', async () => {
    const other = box.discord.webhook()
    const free = await box.relay(other)
    const limited: Answer = { limited: { retryAfter: 0.5, header: 3 } }
    box.discord.answers(hook, ...Array(5).fill(limited), 'ok')
    await deliver(2)
    for (let round = 0; round < 5; round++) {
      await box.work.runDue()
      await runAfter(seconds(3) - 1)
      expect(box.discord.posted).toEqual([])
      box.pass(1)
    }
    box.discord.answers(hook, limited, 'ok')
    await box.work.runDue()
    await send(1, free)
    expect(box.discord.postedTitles(other)).toHaveLength(1)
    expect(posted()).toEqual([])
    await runAfter(seconds(3))
    expect(posted()).toEqual(titles(1, 2))
  })

  test.each<[string, Answer, number]>([
    ['limits all calls', { limited: { retryAfter: 7, global: true } }, seconds(7)],
    ['has banned our IP address for a given time', { ban: { retryAfter: 3_600 } }, hours(1)],
    ['has banned our IP address for an unknown time', { ban: {} }, minutes(10)],
    ['has a firewall that blocks our IP address', { odd: { status: 403, body: 'error code: 1010' } }, minutes(10)],
  ])('is not sent to any webhook while Discord %s', async (_what, answer, wait) => {
    const other = box.discord.webhook()
    const second = await box.relay(other)
    box.discord.answers(hook, answer, 'ok')
    await send(1)
    box.discord.forget()
    await deliver(1, second)
    await runAfter(wait - 2)
    expect(box.discord.calls).toEqual([])
    await runAfter(1)
    expect([...posted(), ...box.discord.postedTitles(other)]).toEqual(titles(1, 2))
    expect(await box.deliveries(relay.id)).toMatchObject([{ attempts: 2 }])
  })

  test('waits when Discord reports that the rate limit is used up', async () => {
    box.discord.answers(hook, { last: 1.5 }, 'ok')
    await send(2)
    expect(posted()).toEqual(titles(1))
    await runAfter(seconds(1.5))
    expect(posted()).toEqual(titles(1, 2))
    expect(box.discord.calls).toHaveLength(2)
  })

  test('is sent again as plain text when Discord rejects the message, and held if it rejects that too', async () => {
    box.discord.answers(hook, 'plain only')
    await send(1)
    expect(box.discord.posted[0]!.message).toMatchObject({ content: expect.stringContaining('v1') })
    expect(await box.deliveries(relay.id)).toMatchObject([
      { state: 'delivered', attempts: 2, note: 'answered 200 as plain text' },
    ])
    box.discord.answers(hook, 'invalid', 'invalid', 'ok')
    await send(2)
    expect(await states()).toEqual(['delivered', 'held', 'delivered'])
    expect((await box.read(relay.id)).blocked).toBeNull()
  })

  test.each<[Answer, string]>([
    ['unknown', 'answered 404: Unknown Webhook'],
    ['unauthorized', 'answered 401: Invalid Webhook Token'],
    ['forbidden', 'answered 403: Missing Permissions'],
  ])(
    'is held after one call with all others when the webhook is %s, and the owner is notified once',
    async (answer, why) => {
      await box.db.q.deleteFrom('notification').execute()
      box.discord.answers(hook, answer)
      await deliver(3)
      const { recorded, stop } = recordEvents(box.context)
      await box.work.runDue()
      stop()
      expect(recorded.map(({ type }) => type).toSorted()).toEqual([
        'entry',
        'entry',
        'notification',
        'run',
        'run',
        'run',
      ])
      expect(box.discord.calls).toHaveLength(1)
      expect(await states()).toEqual(['held', 'held', 'held'])
      expect((await history()).map(({ success }) => success)).toEqual([false, false, false])
      expect((await box.read(relay.id)).blocked).toEqual({ at: box.now(), why })
      expect(await notices()).toEqual([
        { user_id: box.adaUser.id, author: 'ToolBox', message: expect.stringContaining(why) },
      ])
      await send(1)
      expect(box.discord.calls).toHaveLength(1)
      expect(await states()).toEqual(['held', 'held', 'held', 'held'])
      expect(await notices()).toHaveLength(1)
    },
  )

  test('blocks its entry at the time of its own run, so that the incident includes that run', async () => {
    box.discord.answers(hook, 'unknown')
    await deliver(1)
    const { now } = box.context
    const clock = vi.spyOn(box.context, 'now').mockImplementation(() => {
      box.pass(1)
      return now()
    })
    onTestFinished(() => clock.mockRestore())
    await box.work.runDue()
    const { failingSince, history } = await box.read(relay.id)
    expect(history).toMatchObject([{ success: false, timestamp: failingSince }])
  })
})
