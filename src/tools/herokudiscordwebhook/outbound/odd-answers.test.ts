import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { deliveryScene } from '../../../../test/support/scenes/relay/delivery-scene.ts'
import { days, seconds } from '../../../shared/time.ts'

describe.each(dialects)('an answer of Discord that nobody expects on %s', async (dialect) => {
  const { box, hook, relay, deliver, states } = await deliveryScene(dialect)

  test.each([
    ['for ages', '{"retry_after":1e300,"global":false}', {}],
    ['for ages in a header', 'no', { 'retry-after': '1e300' }],
    ['for no number', '{"retry_after":"NaN"}', { 'retry-after': 'soon' }],
  ])('that asks to wait %s lets it go on after a day at most', async (_what, body, headers) => {
    box.discord.answers(hook, { odd: { status: 429, body, headers } }, 'ok')
    await deliver(1)
    await box.work.runDue()
    expect(await states()).toEqual(['accepted'])
    box.pass(days(1))
    await box.work.runDue()
    expect(await states()).toEqual(['delivered'])
  })

  test('that asks to wait for less than nothing has it wait for a minute', async () => {
    box.discord.answers(hook, { odd: { status: 429, body: '{"retry_after":-5}' } }, 'ok')
    await deliver(1)
    await box.work.runDue()
    box.pass(seconds(59))
    await box.work.runDue()
    expect(await states()).toEqual(['accepted'])
    box.pass(seconds(1))
    await box.work.runDue()
    expect(await states()).toEqual(['delivered'])
  })

  test('that asks for a pause of years after a message lets the next one go after a day', async () => {
    box.discord.answers(
      hook,
      {
        odd: { status: 200, body: '{}', headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1e300' } },
      },
      'ok',
    )
    await deliver(2)
    await box.work.runDue()
    expect(await states()).toEqual(['delivered', 'accepted'])
    box.pass(days(1))
    await box.work.runDue()
    expect(await states()).toEqual(['delivered', 'delivered'])
  })

  test('that repeats the webhook’s token shows it to nobody', async () => {
    const body = JSON.stringify({ message: `Invalid ${hook.token} at ${hook.url}` })
    box.discord.answers(hook, { odd: { status: 401, body } })
    await deliver(1)
    await box.work.runDue()
    const { blocked, lastRun } = await box.read(relay.id)
    expect(blocked.why).toContain('Invalid [hidden]')
    expect(JSON.stringify([blocked, lastRun, await box.deliveries(relay.id)])).not.toContain(hook.token)
  })

  test.each([
    ['U+0000', 'a\\u0000b'],
    ['half a character', '\\ud800'],
    ['no end', 'x'.repeat(5_000)],
  ])('that has %s in its words holds the event', async (_what, words) => {
    box.discord.answers(hook, { odd: { status: 404, body: `{"message":"${words}"}` } })
    await deliver(1)
    await box.work.runDue()
    expect(await states()).toEqual(['held'])
    expect((await box.read(relay.id)).blocked.why).toContain('answered 404')
  })

  test.each([
    ['garbage', { body: 'ok!' }],
    ['5 MB', { body: `"${'x'.repeat(5_000_000)}"` }],
    ['a packing that nobody knows', { body: 'x', headers: { 'content-encoding': 'zstd' } }],
    ['a packing that is none', { body: 'x', headers: { 'content-encoding': 'gzip' } }],
  ])('that took the message and says %s sends it no second time', async (_what, odd) => {
    box.discord.answers(hook, { odd: { status: 200, ...odd } })
    await deliver(1)
    await box.work.runDue()
    expect(await states()).toEqual(['delivered'])
    expect(box.discord.calls).toHaveLength(1)
  })

  test.each([301, 302, 307, 308])('that leads elsewhere with %i is not followed', async (status) => {
    const other = box.discord.webhook()
    const location = `/api/v10/webhooks/${other.id}/${other.token}?wait=true`
    box.discord.answers(hook, { odd: { status, body: '', headers: { location } } })
    await deliver(1)
    await box.work.runDue()
    expect(await states()).toEqual(['accepted'])
    expect(box.discord.calls).toHaveLength(1)
  })
})
