import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { deployEvents } from '../../../../test/support/scenes/relay/deploy-events.ts'
import { deployScene, role } from '../../../../test/support/scenes/relay/deploy-scene.ts'
import { parsed, payloadOf } from '../../../../test/support/scenes/relay/example-events.ts'
import { days, minutes, seconds } from '../../../shared/time.ts'
import { server } from '../server.ts'
import { cardStore } from './deploy-cards.ts'
import { factsOf } from './deploy-facts.ts'

describe.each(dialects)('the card of a deploy on %s', async (dialect) => {
  const { box, hook, relay, deploy, deliver, posted, cards, notes } = await deployScene(dialect)
  const readCard = async () =>
    (await cardStore(box.db.q).findCandidates(relay.id, factsOf(parsed(deploy.buildPending))!, box.now()))[0]!

  test('is edited from pending to built to released, without a mention', async () => {
    await deliver(deploy.buildPending)
    expect(posted()).toEqual([['🔨 lantern-api: build started', 0]])
    await deliver(deploy.buildSucceeded)
    expect(posted()).toEqual([['📦 lantern-api: build succeeded', 1]])
    await deliver(deploy.releasePending)
    expect(posted()).toEqual([['⏳ lantern-api: v42 is pending', 2]])
    await deliver(deploy.releaseSucceeded)
    expect(posted()).toEqual([['🚀 lantern-api: v42 released', 3]])
    expect(box.discord.posted).toHaveLength(1)
    expect(box.discord.currentMessages(hook)[0]!.message.content).toBeNull()
    expect(await notes()).toEqual(['answered 200', ...Array(3).fill('answered 200, card edited')])
    expect(box.discord.faults).toEqual([])
    // The event of a release that is no longer current isn't collapsed as a duplicate, even within ten minutes.
    await deliver(deploy.superseded)
    expect(posted()).toEqual([['🚀 lantern-api: v42 released, not current', 4]])
  })

  test('is followed by one new message with the mention after a failure', async () => {
    await deliver(deploy.buildPending, deploy.buildSucceeded, deploy.releasePending, deploy.releaseFailed)
    expect(posted()).toEqual([
      ['❌ lantern-api: v42 failed', 3],
      ['❌ lantern-api: v42 failed', 0],
    ])
    expect(box.discord.posted.map(({ message: { content } }) => content)).toEqual([undefined, `<@&${role}>`])
    expect((await notes()).at(-1)).toBe('answered 200, card edited and failure posted')
    const { releaseFailed } = deploy
    await deliver({ ...releaseFailed, id: 'again', data: { ...Object(releaseFailed.data), stack: 'other' } })
    expect(box.discord.posted).toHaveLength(2)
  })

  test('announces a failure itself if that is the first event, and keeps its mention', async () => {
    await deliver(deploy.releaseFailed)
    expect(box.discord.posted).toMatchObject([{ message: { content: `<@&${role}>` } }])
    await deliver(deploy.buildSucceeded)
    expect(box.discord.posted).toHaveLength(1)
    expect(box.discord.currentMessages(hook)).toMatchObject([{ edits: 1, message: { content: `<@&${role}>` } }])
  })

  test('is merged with another one that turns out to be of the same deploy', async () => {
    const { source_blob: _, created_at: __, ...data } = Object(deploy.buildPending.data)
    await deliver({ ...deploy.buildPending, data }, deploy.releaseSucceeded)
    expect(posted()).toHaveLength(2)
    await deliver(deploy.buildSucceeded)
    expect(posted()).toEqual([['🚀 lantern-api: v42 released', 1]])
    expect(await cards()).toHaveLength(1)
    expect(box.discord.faults).toEqual([])
  })

  test('is separated from a release that was wrongly matched with its build', async () => {
    const other = deployEvents({ version: 43 })
    const { source_blob: _, ...data } = Object(deploy.buildPending.data)
    await deliver({ ...deploy.buildPending, data }, other.releaseSucceeded)
    expect(posted()).toEqual([['🚀 lantern-api: v43 released', 1]])
    await deliver(deploy.buildSucceeded, deploy.releaseSucceeded)
    expect(posted()).toEqual([
      ['🚀 lantern-api: v43 released', 2],
      ['🚀 lantern-api: v42 released', 1],
    ])
  })

  test('is correct in the end for any order of events, with repeats and Discord failures', async () => {
    const names = ['buildPending', 'buildSucceeded', 'releasePending', 'releaseSucceeded', 'superseded'] as const
    const orders = fc.sample(
      fc.shuffledSubarray([...names, 'buildSucceeded', 'releasePending'] as const, { minLength: 7 }),
      dialect === 'sqlite' ? 6 : 2,
    )
    for (const order of orders) {
      const its = deployEvents()
      const sent = box.discord.webhook()
      const to = await box.relay(sent, { card: true })
      box.discord.answers(sent, 'ok', 'broken', 'ok', { limited: { retryAfter: 2 } }, 'ok')
      for (const name of order) {
        box.pass(1)
        expect(await box.deliver(to, its[name])).toBe(204)
      }
      for (let round = 0; round < 4; round++) {
        await box.work.runDue()
        box.pass(seconds(10))
      }
      expect(posted(sent), order.join()).toMatchObject([
        ['🚀 lantern-api: v42 released, not current', expect.any(Number)],
      ])
      const embeds = box.discord.currentMessages(sent)[0]!.message.embeds!
      expect(embeds[0]!.fields, order.join()).toContainEqual({ name: 'Build', value: '✅ 3 min 12 s', inline: true })
    }
    expect(box.discord.faults).toEqual([])
  })

  test('does not include other events, other entries and tests, which are separate messages', async () => {
    const plain = await box.relay(hook)
    box.discord.forget()
    await deliver(deploy.buildPending, { ...payloadOf('dyno-crashed'), id: 'crash' })
    expect(await box.deliver(plain, deploy.buildSucceeded)).toBe(204)
    await box.ada.post(`${box.base}/test?id=${relay.id}`)
    await box.work.runDue()
    expect(posted().map(([, edits]) => edits)).toEqual([0, 0, 0, 0])
    expect(await cards()).toHaveLength(1)
  })

  test('stores little of its events, however long their texts are', async () => {
    const endless = 'a'.repeat(60_000)
    const data = Object(deploy.releaseSucceeded.data)
    const words = { app: { ...data.app, name: endless }, description: endless, stack: endless }
    await deliver({ ...deploy.releaseSucceeded, data: { ...data, ...words } })
    const [card] = await cards()
    expect(card!.facts.length).toBeLessThan(5_000)
    expect(posted()).toEqual([[expect.stringMatching(/^🚀 a{200}: v42 released$/), 0]])
  })

  test('continues as a new card in another channel', async () => {
    const other = box.discord.webhook()
    await deliver(deploy.buildPending)
    await box.ada.patch(box.base, { id: relay.id, discordHook: other.url })
    await deliver(deploy.buildSucceeded)
    expect(posted()).toEqual([['🔨 lantern-api: build started', 0]])
    expect(posted(other)).toEqual([['📦 lantern-api: build succeeded', 0]])
    expect(await box.deliveries(relay.id)).toMatchObject([{ attempts: 1 }, { attempts: 1 }])
  })

  test('is deleted after 200 newer cards, after 30 days, and with its entry', async () => {
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
    const remainingCards = async () => {
      await server.cleanUp!(box.context)
      return box.db.q.selectFrom('relay_card').select('entry_id').execute()
    }
    box.pass(days(30) - 1)
    expect(await remainingCards()).toEqual([{ entry_id: other.id }])
    box.pass(minutes(1))
    expect(await remainingCards()).toEqual([])
  })
})
