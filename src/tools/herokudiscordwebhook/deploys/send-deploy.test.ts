import { beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import type { Answer, FakeHook } from '../../../../test/support/fakes/fake-discord.ts'
import { deliveryScene } from '../../../../test/support/scenes/delivery-scene.ts'
import { type DeployEvents, deployEvents } from '../../../../test/support/scenes/deploy-events.ts'
import type { Relay, Relaybox } from '../../../../test/support/scenes/relay.ts'
import { days, minutes, seconds } from '../../../shared/time.ts'
import { parsed, payloadOf } from '../inbound/event/examples/test-event.ts'
import { server } from '../server.ts'
import { factsOf } from './facts.ts'
import { cardStore } from './store.ts'

const role = '223456789012345678'

describe.each(dialects)('a deploy that is one card on %s', (dialect) => {
  const { now, states } = deliveryScene(dialect)
  let box: Relaybox
  let hook: FakeHook
  let relay: Relay
  let deploy: DeployEvents
  beforeEach(async () => {
    ;({ box, hook } = now())
    relay = await box.relay(hook, { card: true, mentionRole: role })
    deploy = deployEvents()
    box.discord.forget()
  })
  const deliver = async (...events: object[]) => {
    for (const event of events) {
      box.pass(1)
      expect(await box.deliver(relay, event)).toBe(204)
      await box.work.runDue()
    }
  }
  /** What the channel shows: title, content and how often it was edited. */
  const shown = (of = hook) =>
    box.discord.shown(of).map(({ message: { embeds = [], content }, edits }) => [embeds[0]?.title ?? content, edits])
  const cards = () => box.db.q.selectFrom('relay_card').selectAll().where('entry_id', '=', relay.id).execute()
  const readCard = async () =>
    (await cardStore(box.db.q).near(relay.id, factsOf(parsed(deploy.buildPending))!, box.now()))[0]!
  const notes = async () => (await box.deliveries(relay.id)).map(({ note }) => note).toReversed()

  test('is edited from pending to built to released, and mentions nobody', async () => {
    await deliver(deploy.buildPending)
    expect(shown()).toEqual([['🔨 lantern-api: build started', 0]])
    await deliver(deploy.buildSucceeded)
    expect(shown()).toEqual([['📦 lantern-api: build succeeded', 1]])
    await deliver(deploy.releasePending)
    expect(shown()).toEqual([['⏳ lantern-api: v42 is pending', 2]])
    await deliver(deploy.releaseSucceeded)
    expect(shown()).toEqual([['🚀 lantern-api: v42 released', 3]])
    expect(box.discord.posted).toHaveLength(1)
    expect(box.discord.shown(hook)[0]!.message).toMatchObject({
      content: null,
      embeds: [
        {
          fields: expect.arrayContaining([
            { name: 'Build', value: '✅ 3 min 12 s', inline: true },
            { name: 'Release', value: 'v42 ✅ 42 s', inline: true },
          ]),
        },
      ],
    })
    expect(await notes()).toEqual(['answered 200', ...Array(3).fill('answered 200, card edited')])
    expect(box.discord.faults).toEqual([])
    // A release that is no longer the current one says so; ten minutes don't make it a duplicate.
    await deliver(deploy.superseded)
    expect(shown()).toEqual([['🚀 lantern-api: v42 released, not current', 4]])
  })

  test('tells a failure by a new message with the mention, once', async () => {
    await deliver(deploy.buildPending, deploy.buildSucceeded, deploy.releasePending, deploy.releaseFailed)
    expect(shown()).toEqual([
      ['❌ lantern-api: v42 failed', 3],
      ['❌ lantern-api: v42 failed', 0],
    ])
    expect(box.discord.posted.map(({ message: { content } }) => content)).toEqual([undefined, `<@&${role}>`])
    expect((await notes()).at(-1)).toBe('answered 200, card edited and failure posted')
    const { releaseFailed } = deploy
    await deliver({ ...releaseFailed, id: 'again', data: { ...Object(releaseFailed.data), stack: 'other' } })
    expect(box.discord.posted).toHaveLength(2)
  })

  test('that is first heard of when it fails is told by the card itself, which keeps its mention', async () => {
    await deliver(deploy.releaseFailed)
    expect(box.discord.posted).toMatchObject([{ message: { content: `<@&${role}>` } }])
    await deliver(deploy.buildSucceeded)
    expect(box.discord.posted).toHaveLength(1)
    expect(box.discord.shown(hook)).toMatchObject([{ edits: 1, message: { content: `<@&${role}>` } }])
  })

  test('becomes one when two cards turn out to be of the same deploy', async () => {
    const { source_blob: _, created_at: __, ...data } = Object(deploy.buildPending.data)
    await deliver({ ...deploy.buildPending, data }, deploy.releaseSucceeded)
    expect(shown()).toHaveLength(2)
    await deliver(deploy.buildSucceeded)
    expect(shown()).toEqual([['🚀 lantern-api: v42 released', 1]])
    expect(await cards()).toHaveLength(1)
    expect(box.discord.faults).toEqual([])
  })

  test('other events, other entries and tests are messages of their own', async () => {
    const plain = await box.relay(hook)
    box.discord.forget()
    await deliver(deploy.buildPending, { ...payloadOf('dyno-crashed'), id: 'crash' })
    expect(await box.deliver(plain, deploy.buildSucceeded)).toBe(204)
    await box.ada.post(`${box.base}/test?id=${relay.id}`)
    await box.work.runDue()
    expect(shown().map(([, edits]) => edits)).toEqual([0, 0, 0, 0])
    expect(await cards()).toHaveLength(1)
  })

  test('whose message was deleted gets a new one, in its thread', async () => {
    const threadId = '123456789012345678'
    await box.ada.patch(box.base, { id: relay.id, threadId })
    await deliver(deploy.buildPending)
    expect(box.discord.shown(hook)).toMatchObject([{ thread: threadId }])
    box.discord.clear(hook)
    await deliver(deploy.buildSucceeded)
    expect(shown()).toEqual([['📦 lantern-api: build succeeded', 0]])
    await deliver(deploy.releaseFailed)
    expect(box.discord.shown(hook)).toMatchObject([
      { thread: threadId, edits: 1 },
      { thread: threadId, message: { content: `<@&${role}>` } },
    ])
    box.discord.clear(hook)
    // It was told, so the new card doesn't tell it again.
    await deliver({ ...deploy.releaseFailed, id: 'again', data: { ...Object(deploy.releaseFailed.data), stack: 'x' } })
    expect(box.discord.shown(hook)[0]!.message.content).toBeUndefined()
  })

  test('goes on as a new card in another channel', async () => {
    const other = box.discord.webhook()
    await deliver(deploy.buildPending)
    await box.ada.patch(box.base, { id: relay.id, discordHook: other.url })
    await deliver(deploy.buildSucceeded)
    expect(shown()).toEqual([['🔨 lantern-api: build started', 0]])
    expect(shown(other)).toEqual([['📦 lantern-api: build succeeded', 0]])
  })

  test('whose edit Discord refuses is edited as plain text, and posted anew if it refuses that too', async () => {
    await deliver(deploy.buildPending)
    box.discord.answers(hook, 'invalid', 'ok')
    await deliver(deploy.buildSucceeded)
    expect(shown()).toEqual([[expect.stringContaining('build succeeded'), 1]])
    expect((await notes()).at(-1)).toBe('answered 200 as plain text, card edited')
    await deliver(deploy.releasePending)
    expect(shown()).toEqual([['⏳ lantern-api: v42 is pending', 2]])
    expect(box.discord.shown(hook)[0]!.message.content).toBeNull()
    box.discord.answers(hook, 'invalid', 'invalid', 'ok')
    await deliver(deploy.releaseSucceeded)
    expect(shown()).toEqual([
      ['⏳ lantern-api: v42 is pending', 2],
      ['🚀 lantern-api: v42 released', 0],
    ])
    box.discord.answers(hook, 'invalid', 'invalid', 'invalid', 'invalid', 'ok')
    await deliver(deploy.superseded)
    expect((await states(relay.id)).at(-1)).toBe('held')
  })

  test('waits as long as Discord says, also between its edit and the message that tells a failure', async () => {
    await deliver(deploy.buildPending)
    const limited: Answer = { limited: { retryAfter: 3 } }
    box.discord.answers(hook, limited, { last: 2 }, limited, 'broken', 'ok')
    await deliver(deploy.buildFailed)
    for (const wait of [3, 2, 3, 5]) {
      expect(await states(relay.id)).toEqual(['delivered', 'accepted'])
      box.pass(seconds(wait))
      await box.work.runDue()
    }
    expect(await states(relay.id)).toEqual(['delivered', 'delivered'])
    // It was edited once only.
    expect(shown()).toEqual([
      ['❌ lantern-api: build failed', 1],
      ['❌ lantern-api: build failed', 0],
    ])
  })

  test.each<[Answer, string]>([
    ['unauthorized', 'answered 401: Invalid Webhook Token'],
    ['forbidden', 'answered 403: Missing Permissions'],
    ['unknown', 'answered 404: Unknown Webhook'],
  ])('whose edit is answered by %s blocks its entry, and goes on once it is replayed', async (answer, why) => {
    await deliver(deploy.buildPending)
    box.discord.answers(hook, answer)
    await deliver(deploy.buildSucceeded, deploy.releaseFailed)
    expect((await box.read(relay.id)).blocked).toMatchObject({ why })
    expect(await states(relay.id)).toEqual(['delivered', 'held', 'held'])
    box.discord.answers(hook, 'ok')
    await box.ada.post(`${box.base}/deliveries/replay`, { id: relay.id })
    await box.work.runDue()
    expect(shown()).toEqual([
      ['❌ lantern-api: v42 failed', 2],
      ['❌ lantern-api: v42 failed', 0],
    ])
  })

  test.each([
    ['its first message', 0],
    ['an edit', 1],
    ['the message that tells its failure', 3],
  ])('that is taken over by another instance in flight, during %s, has one message more at most', async (_what, at) => {
    const events = [deploy.buildPending, deploy.buildSucceeded, deploy.releasePending, deploy.releaseFailed]
    await deliver(...events.slice(0, at))
    box.discord.answers(
      hook,
      ...(at === 3 ? (['ok', 'slow and lost', 'ok'] as const) : (['slow and lost', 'ok'] as const)),
    )
    expect(await box.deliver(relay, events[at]!)).toBe(204)
    const late = box.work.runDue()
    await expect.poll(() => box.discord.hanging()).toBe(1)
    box.pass(minutes(1) + 1)
    await box.secondWorker().runDue()
    box.discord.letGo()
    await late
    await deliver(...events.slice(at + 1))
    const isExtra = at !== 1
    expect(shown()).toHaveLength(2 + Number(isExtra))
    expect(shown().filter(([title]) => title === '❌ lantern-api: v42 failed').length).toBeGreaterThanOrEqual(2)
    expect(new Set(await states(relay.id))).toEqual(new Set(['delivered']))
    expect(await cards()).toHaveLength(1)
  })

  test('is forgotten after 200 others, after 30 days, and with its entry', async () => {
    await deliver(deploy.buildPending)
    const { id: first, ...more } = await readCard()
    const store = cardStore(box.db.q)
    for (let n = 0; n < 200; n++)
      await store.write(relay.id, { ...more, id: `f${String(n).padStart(3, '0')}` }, box.now())
    expect(await cards()).toHaveLength(200)
    expect((await cards()).map(({ id }) => id)).not.toContain(first)
    const other = await box.relay(hook, { card: true })
    expect(await box.deliver(other, deploy.buildPending)).toBe(204)
    await box.work.runDue()
    await box.ada.delete(`${box.base}?id=${relay.id}`)
    expect(await cards()).toEqual([])
    const left = async () => {
      await server.cleanUp!(box.context)
      return box.db.q.selectFrom('relay_card').select('entry_id').execute()
    }
    box.pass(days(30) - 1)
    expect(await left()).toEqual([{ entry_id: other.id }])
    box.pass(minutes(1))
    expect(await left()).toEqual([])
  })
})
