import { setTimeout as after } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { deliveryScene } from '../../../test/delivery-scene.ts'
import { type Relay, type Relaybox, release } from '../../../test/relay.ts'

// SQLite has one writer, so nothing there waits for another.
describe('on postgres, at once', () => {
  const { now } = deliveryScene('postgres')
  let box: Relaybox
  let relay: Relay
  beforeEach(() => {
    ;({ box, relay } = now())
  })

  test('Heroku may deliver an event again while it is being noted that it was delivered', async () => {
    const event = release(1)
    await box.deliver(relay, event)
    const again = await box.db.q.transaction().execute(async (on) => {
      await on.updateTable('relay_event').set({ state: 'delivered' }).where('entry_id', '=', relay.id).execute()
      return Promise.race([box.deliver(relay, event), after(10_000, 'waits for that note')])
    })
    expect(again).toBe(204)
    expect(await box.deliveries(relay.id)).toMatchObject([{ state: 'delivered' }])
  })
})
