import { describe, expect, test } from 'vitest'
import { dialects } from '../../../../test/support/database/databases.ts'
import type { Answer } from '../../../../test/support/fakes/fake-discord.ts'
import { deliveryScene } from '../../../../test/support/scenes/relay/delivery-scene.ts'
import { days, seconds } from '../../../shared/time.ts'

type Odd = Extract<Answer, { odd: unknown }>['odd']

describe.each(dialects)('an unexpected answer of Discord on %s', async (dialect) => {
  const { box, hook, relay, states, send, runAfter } = await deliveryScene(dialect)
  /** Delivers events, to the first of which Discord answers this. */
  const deliverAgainst = async (odd: Odd, count = 1) => {
    box.discord.answers(hook, { odd }, 'ok')
    await send(count)
  }

  test.each([
    ['of 1e300 seconds', '{"retry_after":1e300,"global":false}', {}, 'at most a day', 0, days(1)],
    ['of 1e300 seconds in a header', 'no', { 'retry-after': '1e300' }, 'at most a day', 0, days(1)],
    ['that is not a number', '{"retry_after":"NaN"}', { 'retry-after': 'soon' }, 'at most a day', 0, days(1)],
    ['that is negative', '{"retry_after":-5}', {}, 'a minute', seconds(59), seconds(60)],
  ])('with a wait %s (%s %o) delays the event by %s', async (_what, body, headers, _most, before, after) => {
    await deliverAgainst({ status: 429, body, headers })
    await runAfter(before)
    expect(await states()).toEqual(['accepted'])
    await runAfter(after - before)
    expect(await states()).toEqual(['delivered'])
  })

  test('with a pause of years after a message delays the next one by a day', async () => {
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1e300' }
    await deliverAgainst({ status: 200, body: '{}', headers }, 2)
    expect(await states()).toEqual(['delivered', 'accepted'])
    await runAfter(days(1))
    expect(await states()).toEqual(['delivered', 'delivered'])
  })

  test('that repeats the webhook’s token does not reveal it', async () => {
    await deliverAgainst({ status: 401, body: JSON.stringify({ message: `Invalid ${hook.token} at ${hook.url}` }) })
    const { blocked, lastRun } = await box.read(relay.id)
    expect(blocked.why).toContain('Invalid [hidden]')
    expect(JSON.stringify([blocked, lastRun, await box.deliveries(relay.id)])).not.toContain(hook.token)
  })

  test.each([
    ['U+0000', 'a\\u0000b'],
    ['half a surrogate pair', '\\ud800'],
    ['5,000 characters', 'x'.repeat(5_000)],
  ])('with %s in its message holds the event', async (_what, words) => {
    await deliverAgainst({ status: 404, body: `{"message":"${words}"}` })
    expect(await states()).toEqual(['held'])
    expect((await box.read(relay.id)).blocked.why).toContain('answered 404')
  })

  test.each([
    ['garbage', { body: 'ok!' }],
    ['5 MB', { body: `"${'x'.repeat(5_000_000)}"` }],
    ['an unknown content encoding', { body: 'x', headers: { 'content-encoding': 'zstd' } }],
    ['an invalid content encoding', { body: 'x', headers: { 'content-encoding': 'gzip' } }],
  ])('with status 200 and %s does not cause a second call', async (_what, odd) => {
    await deliverAgainst({ status: 200, ...odd })
    expect(await states()).toEqual(['delivered'])
    expect(box.discord.calls).toHaveLength(1)
  })

  test.each([301, 302, 307, 308])('that redirects with %i is not followed', async (status) => {
    const other = box.discord.webhook()
    const location = `/api/v10/webhooks/${other.id}/${other.token}?wait=true`
    await deliverAgainst({ status, body: '', headers: { location } })
    expect(await states()).toEqual(['accepted'])
    expect(box.discord.calls).toHaveLength(1)
  })
})
