import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import type { Answer } from '../../../../test/support/fakes/fake-discord.ts'
import { deployScene, role } from '../../../../test/support/scenes/relay/deploy-scene.ts'
import { minutes, seconds } from '../../../shared/time.ts'

describe.each(dialects)('a card whose edit fails on %s', async (dialect) => {
  const { box, hook, relay, deploy, deliver, posted, cards, states, notes } = await deployScene(dialect)

  test('gets a new message in its thread if its message was deleted', async () => {
    const threadId = '123456789012345678'
    await box.ada.patch(box.base, { id: relay.id, threadId })
    await deliver(deploy.buildPending)
    expect(box.discord.currentMessages(hook)).toMatchObject([{ thread: threadId }])
    box.discord.clear(hook)
    await deliver(deploy.buildSucceeded)
    expect(posted()).toEqual([['📦 lantern-api: build succeeded', 0]])
    await deliver(deploy.releaseFailed)
    expect(box.discord.currentMessages(hook)).toMatchObject([
      { thread: threadId, edits: 1 },
      { thread: threadId, message: { content: `<@&${role}>` } },
    ])
    box.discord.clear(hook)
    // The failure was already announced, so the new card doesn't announce it again.
    await deliver({ ...deploy.releaseFailed, id: 'again', data: { ...Object(deploy.releaseFailed.data), stack: 'x' } })
    expect(box.discord.currentMessages(hook)[0]!.message.content).toBeUndefined()
  })

  test('is edited as plain text if Discord rejects the edit, and posted again if it rejects that too', async () => {
    await deliver(deploy.buildPending)
    box.discord.answers(hook, 'invalid', 'ok')
    await deliver(deploy.buildSucceeded)
    expect(posted()).toEqual([[expect.stringContaining('build succeeded'), 1]])
    expect((await notes()).at(-1)).toBe('answered 200 as plain text, card edited')
    await deliver(deploy.releasePending)
    expect(posted()).toEqual([['⏳ lantern-api: v42 is pending', 2]])
    expect(box.discord.currentMessages(hook)[0]!.message.content).toBeNull()
    box.discord.answers(hook, 'invalid', 'invalid', 'ok')
    await deliver(deploy.releaseSucceeded)
    expect(posted()).toEqual([
      ['⏳ lantern-api: v42 is pending', 2],
      ['🚀 lantern-api: v42 released', 0],
    ])
    const tooOften = { odd: { status: 429, body: '{"message":"Maximum number of edits reached","code":30046}' } }
    box.discord.answers(hook, tooOften, 'ok')
    await deliver(deploy.superseded)
    expect(posted()).toHaveLength(3)
    box.discord.answers(hook, 'invalid', 'invalid', 'invalid', 'invalid', 'ok')
    await deliver({ ...deploy.superseded, id: 'later', data: { ...Object(deploy.superseded.data), stack: 'other' } })
    expect((await states()).at(-1)).toBe('held')
  })

  test('waits for the time that Discord requests, also between its edit and the message about a failure', async () => {
    await deliver(deploy.buildPending)
    const limited: Answer = { limited: { retryAfter: 3 } }
    box.discord.answers(hook, limited, { last: 2 }, limited, 'broken', 'ok')
    await deliver(deploy.buildFailed)
    for (const wait of [3, 2, 3, 5]) {
      expect(await states()).toEqual(['delivered', 'accepted'])
      box.pass(seconds(wait))
      await box.work.runDue()
    }
    expect(await states()).toEqual(['delivered', 'delivered'])
    // The card was edited only once.
    expect(posted()).toEqual([
      ['❌ lantern-api: build failed', 1],
      ['❌ lantern-api: build failed', 0],
    ])
  })

  test.each<[Answer, string]>([
    ['unauthorized', 'answered 401: Invalid Webhook Token'],
    ['forbidden', 'answered 403: Missing Permissions'],
    ['unknown', 'answered 404: Unknown Webhook'],
  ])('blocks its entry if Discord answers the edit with %s, and continues after a replay', async (answer, why) => {
    await deliver(deploy.buildPending)
    box.discord.answers(hook, answer)
    await deliver(deploy.buildSucceeded, deploy.releaseFailed)
    expect((await box.read(relay.id)).blocked).toMatchObject({ why })
    expect(await states()).toEqual(['delivered', 'held', 'held'])
    box.discord.answers(hook, 'ok')
    await box.ada.post(`${box.base}/deliveries/replay`, { id: relay.id })
    await box.work.runDue()
    expect(posted()).toEqual([
      ['❌ lantern-api: v42 failed', 2],
      ['❌ lantern-api: v42 failed', 0],
    ])
  })

  test.each([
    ['its first message', 0],
    ['an edit', 1],
    ['the message about its failure', 3],
  ])('has at most one extra message if another instance takes over during %s', async (_what, at) => {
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
    box.discord.resetHanging()
    await late
    await deliver(...events.slice(at + 1))
    const isExtra = at !== 1
    expect(posted()).toHaveLength(2 + Number(isExtra))
    expect(posted().filter(([title]) => title === '❌ lantern-api: v42 failed').length).toBeGreaterThanOrEqual(2)
    expect(new Set(await states())).toEqual(new Set(['delivered']))
    expect(await cards()).toHaveLength(1)
  })

  test('is posted as a new message if its stored row is invalid', async () => {
    await deliver(deploy.buildPending)
    await box.db.q.updateTable('relay_card').set({ message_id: '../../channels' }).execute()
    await deliver(deploy.buildSucceeded)
    await box.db.q.updateTable('relay_card').set({ facts: '{' }).execute()
    await deliver(deploy.releaseSucceeded)
    const strange = { ...Object(deploy.buildSucceeded.data), id: 'a\0b' }
    await deliver({ ...deploy.buildSucceeded, id: 'strange', data: strange })
    expect(box.discord.calls.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST', 'POST'])
    expect(new Set(await states())).toEqual(new Set(['delivered']))
  })
})
