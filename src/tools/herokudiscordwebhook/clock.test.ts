import { describe, expect, onTestFinished, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { deliveryScene } from '../../../test/support/scenes/relay/delivery-scene.ts'
import { release } from '../../../test/support/scenes/relay/relay.ts'
import { createApp } from '../../app.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { days, hours, seconds } from '../../shared/time.ts'

describe.each(dialects)('setting the clock back on %s', async (dialect) => {
  const { box, hook, relay, deliver, titles, posted, send, runAfter } = await deliveryScene(dialect)

  test('delays no event and keeps the order of events', async () => {
    for (let round = 0; round < 5; round += 1) {
      await deliver(9)
      await runAfter(seconds(1))
    }
    expect(posted()).toHaveLength(45)
    await deliver(1)
    box.stepClock(-hours(1))
    await send(1)
    box.stepClock(hours(1))
    await box.work.runDue()
    expect(posted().slice(45)).toEqual(titles(46, 47))
    box.stepClock(-hours(1))
    await send(1)
    expect(posted().slice(45)).toEqual(titles(46, 47, 48))
  })

  test("keeps a webhook's events in order across a restart", async () => {
    const other = await box.relay(hook)
    await deliver(2)
    box.stepClock(-hours(1))
    const app = await createApp({ ...box.context, metrics: createMetrics() }, box.auth)
    onTestFinished(() => app.close())
    const work = box.secondWorker()
    box.discord.answers(hook, 'broken')
    await work.runDue()
    box.discord.answers(hook, 'ok')
    box.discord.forget()
    for (const [to, version] of [
      [relay, 3],
      [other, 4],
      [relay, 5],
    ] as const) {
      box.pass(1)
      expect(await box.deliver(to, release(version), {}, app)).toBe(204)
    }
    box.pass(seconds(5))
    await work.runDue()
    expect(posted()).toEqual(titles(1, 2, 3, 4, 5))
  })

  test.each([
    ['goes on running', false],
    ['is restarted', true],
  ])('does not delay a retry when the server %s', async (_how, restarted) => {
    box.discord.answers(hook, 'broken')
    await send(1)
    box.stepClock(-days(1))
    const work = restarted ? box.secondWorker() : box.work
    await work.runDue()
    box.discord.answers(hook, 'ok')
    box.discord.forget()
    box.pass(seconds(4))
    await work.runDue()
    expect(posted()).toEqual([])
    box.pass(seconds(1))
    await work.runDue()
    expect(posted()).toEqual(titles(1))
  })

  test('does not change when the next attempt is due if an attempt is in progress', async () => {
    box.discord.answers(hook, 'broken')
    await deliver(1)
    const done = box.work.runDue()
    await expect.poll(() => box.discord.calls.length, { interval: 1 }).toBe(1)
    box.stepClock(-days(1))
    await done
    box.discord.answers(hook, 'ok')
    await runAfter(seconds(5))
    expect(await box.deliveries(relay.id)).toMatchObject([{ state: 'delivered' }])
  })
})
