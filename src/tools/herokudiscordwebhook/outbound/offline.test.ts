import { afterAll, describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { outage } from '../../../../test/support/database/outage.ts'
import { relaybox, release } from '../../../../test/support/scenes/relay/relay.ts'
import { seconds } from '../../../shared/time.ts'

describe.each(dialects)("while the server's own network is down, on %s", async (dialect) => {
  const network = outage()
  const box = await relaybox(dialect, {}, { probes: network.probes })
  afterAll(() => box.close())

  test('events wait without using up their attempts, and are delivered in order when the network is back', async () => {
    const hook = box.discord.webhook()
    const relay = await box.relay(hook)
    box.discord.forget()
    box.discord.answers(hook, 'reset')
    for (const version of [1, 2]) {
      box.pass(1)
      await box.deliver(relay, release(version))
    }
    await network.begin(box)
    for (let tries = 0; tries < 20; tries++) {
      await box.work.runDue()
      box.pass(seconds(15))
    }
    expect(await box.deliveries(relay.id)).toMatchObject([
      { state: 'accepted', attempts: 0 },
      { state: 'accepted', attempts: 0 },
    ])
    expect((await box.read(relay.id)).history).toEqual([])

    network.end()
    box.discord.answers(hook, 'ok')
    await box.work.runDue()
    expect(box.discord.postedTitles(hook)).toEqual(['v1', 'v2'].map((each) => expect.stringContaining(each)))
    expect(box.context.offline.isOffline()).toBe(false)
  })
})
