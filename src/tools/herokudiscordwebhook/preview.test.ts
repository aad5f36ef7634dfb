import { afterAll, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { deployEvents } from '../../../test/support/scenes/relay/deploy-events.ts'
import { relaybox } from '../../../test/support/scenes/relay/relay.ts'

const role = '223456789012345678'

describe.each(dialects)('the preview of a card on %s', async (dialect) => {
  const box = await relaybox(dialect)
  afterAll(() => box.close())
  const preview = async (body: object) => {
    const { outcome, example, message } = (await box.ada.post(`${box.base}/preview`, body)).body
    return { outcome, example, title: message.embeds[0].title, content: message.content }
  }

  test('of an example includes the facts of earlier examples', async () => {
    const card = { card: true, mentionRole: role }
    expect(await preview(card)).toEqual({
      outcome: 'edit',
      example: 'release-succeeded',
      title: '🚀 lantern-api: v42 released',
    })
    expect((await preview({ ...card, example: 'build-pending' })).outcome).toBe('card')
    expect(await preview({ ...card, example: 'build-failed' })).toMatchObject({
      outcome: 'failure',
      title: '❌ lantern-api: build failed',
      content: `<@&${role}>`,
    })
    expect((await preview({ ...card, example: 'dyno-crashed' })).outcome).toBe('message')
    expect(await preview({})).toMatchObject({ outcome: 'message', example: 'build-pending' })
  })

  test('of an entry shows its newest event in the card without changing anything', async () => {
    const relay = await box.relay(box.discord.webhook(), { card: true })
    const { buildPending, releaseSucceeded } = deployEvents()
    for (const event of [buildPending, releaseSucceeded]) {
      box.pass(1)
      await box.deliver(relay, event)
      await box.work.runDue()
    }
    const request = { id: relay.id, card: true }
    const expected = { outcome: 'edit', example: null, title: '🚀 lantern-api: v42 released' }
    expect(await preview(request)).toEqual(expected)
    expect(await preview(request)).toEqual(expected)
    expect(await preview({ ...request, card: false })).toEqual({ ...expected, outcome: 'message' })
  })
})
