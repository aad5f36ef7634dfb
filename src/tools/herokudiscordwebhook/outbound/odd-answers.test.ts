import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import { deliveryScene } from '../../../../test/support/scenes/relay/delivery-scene.ts'
import { days, seconds } from '../../../shared/time.ts'

describe.each(dialects)('an unexpected answer of Discord on %s', async (dialect) => {
  const { box, hook, relay, deliver, states } = await deliveryScene(dialect)

  test.each([
    ['of 1e300 seconds', '{"retry_after":1e300,"global":false}', {}],
    ['of 1e300 seconds in a header', 'no', { 'retry-after': '1e300' }],
    ['that is not a number', '{"retry_after":"NaN"}', { 'retry-after': 'soon' }],
  ])('with a wait %s delays the event by at most a day', async (_what, body, headers) => {
    box.discord.answers(hook, { odd: { status: 429, body, headers } }, 'ok')
    await deliver(1)
    await box.work.runDue()
    expect(await states()).toEqual(['accepted'])
    box.pass(days(1))
    await box.work.runDue()
    expect(await states()).toEqual(['delivered'])
  })

  test('with a negative wait delays the event by a minute', async () => {
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

  test('with a pause of years after a message delays the next one by a day', async () => {
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

  test('that repeats the webhook’s token does not reveal it', async () => {
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
    ['half a surrogate pair', '\\ud800'],
    ['5,000 characters', 'x'.repeat(5_000)],
  ])('with %s in its message holds the event', async (_what, words) => {
    box.discord.answers(hook, { odd: { status: 404, body: `{"message":"${words}"}` } })
    await deliver(1)
    await box.work.runDue()
    expect(await states()).toEqual(['held'])
    expect((await box.read(relay.id)).blocked.why).toContain('answered 404')
  })

  test.each([
    ['garbage', { body: 'ok!' }],
    ['5 MB', { body: `"${'x'.repeat(5_000_000)}"` }],
    ['an unknown content encoding', { body: 'x', headers: { 'content-encoding': 'zstd' } }],
    ['an invalid content encoding', { body: 'x', headers: { 'content-encoding': 'gzip' } }],
  ])('with status 200 and %s does not cause a second call', async (_what, odd) => {
    box.discord.answers(hook, { odd: { status: 200, ...odd } })
    await deliver(1)
    await box.work.runDue()
    expect(await states()).toEqual(['delivered'])
    expect(box.discord.calls).toHaveLength(1)
  })

  test.each([301, 302, 307, 308])('that redirects with %i is not followed', async (status) => {
    const other = box.discord.webhook()
    const location = `/api/v10/webhooks/${other.id}/${other.token}?wait=true`
    box.discord.answers(hook, { odd: { status, body: '', headers: { location } } })
    await deliver(1)
    await box.work.runDue()
    expect(await states()).toEqual(['accepted'])
    expect(box.discord.calls).toHaveLength(1)
  })
})
