import { setTimeout as after } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { bothDialects } from '../../../../test/support/database/databases.ts'
import { deliveryScene } from '../../../../test/support/scenes/relay/delivery-scene.ts'
import { writeEvents } from '../accept.ts'
import { testEvent } from '../message/message.ts'
import { rescheduleDelivery } from './delivery-job.ts'
import { eventIds } from './store.ts'

describe.each(bothDialects)('the delivery job of an entry on %s', async (dialect) => {
  const { box, relay, deliver, states } = await deliveryScene(dialect)
  const jobs = () => box.db.q.selectFrom('job').select(['entry_id', 'lease_by']).execute()

  test('is the same for all waiting events', async () => {
    await deliver(3)
    expect(await jobs()).toEqual([{ entry_id: relay.id, lease_by: null }])
  })

  test('is kept for an event that is committed while the previous one ends', async () => {
    await deliver(1)
    let commit = () => {}
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve
    })
    let coming: Promise<unknown> = Promise.resolve()
    await new Promise<void>((written, failed) => {
      coming = box.db.q
        .transaction()
        .execute(async (tx) => {
          const { id, at: received_at } = eventIds(box.now)()
          const more = { state: 'accepted', received_at, note: null, payload: '{}', collapse_key: null } as const
          await writeEvents(box.context, tx, [{ id, entry_id: relay.id, event_id: 'second', ...testEvent, ...more }])
          written()
          await mayCommit
        })
        .catch(failed)
    })
    const ending = box.db.q.transaction().execute(async (tx) => {
      const first = tx.updateTable('relay_event').set({ state: 'delivered' })
      await first.where('event_id', '<>', 'second').execute()
      await rescheduleDelivery(box.db, tx, relay.id, { at: box.now() })
    })
    // Give the transaction time to end if no lock prevents it.
    await Promise.race([ending, after(200)])
    commit()
    await Promise.all([coming, ending])
    expect(await jobs()).toHaveLength(1)
    await box.work.runDue()
    expect(await states()).toEqual(['delivered', 'delivered'])
    expect(await jobs()).toEqual([])
  })
})
