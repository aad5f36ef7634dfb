import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { waitForLock } from '../../../test/support/database/databases.ts'
import { deliveryScene } from '../../../test/support/scenes/relay/delivery-scene.ts'
import { release } from '../../../test/support/scenes/relay/relay.ts'
import { writeEvents } from './accept.ts'
import { deliveryJob } from './queue/delivery-job.ts'
import { type NewEvent, relayStore, shortKey } from './queue/store.ts'

// SQLite has a single writer, so its transactions never wait for each other.
describe('concurrent transactions on postgres', async () => {
  const { box, relay } = await deliveryScene('postgres')
  const eventOf = (n: number, key = `${n}`): NewEvent => ({
    ...{ id: `0${1_000 + n}`, entry_id: relay.id, event_id: `${n}`, resource: 'r', action: 'a', state: 'accepted' },
    ...{ received_at: box.now(), note: null, payload: 'x'.repeat(1_000), collapse_key: shortKey(key) },
  })

  test('accept a repeated event while its delivery is being recorded', async () => {
    const event = release(1)
    await box.deliver(relay, event)
    await box.db.q.transaction().execute(async (tx) => {
      await tx.updateTable('relay_event').set({ state: 'delivered' }).where('entry_id', '=', relay.id).execute()
      const repeating = box.deliver(relay, event)
      expect(await waitForLock(box.db.q, repeating)).toBe('ended')
      expect(await repeating).toBe(204)
    })
    expect(await box.deliveries(relay.id)).toMatchObject([{ state: 'delivered' }])
  })

  test('collapse an event that equals one which another instance is storing', async () => {
    let storing: Promise<unknown> | undefined
    await box.db.q.transaction().execute(async (tx) => {
      await writeEvents(box.context, tx, [eventOf(1, 'same')])
      storing = box.db.q.transaction().execute((other) => writeEvents(box.context, other, [eventOf(2, 'same')]))
      await waitForLock(box.db.q, storing)
    })
    await storing
    const stored = await box.db.q.selectFrom('relay_event').select('state').orderBy('id').execute()
    expect(stored).toEqual([{ state: 'accepted' }, { state: 'collapsed' }])
  })

  test('read few rows to detect duplicates among 1,000 recent events', async () => {
    const { db } = box
    const read = await db.q.transaction().execute(async (tx) => {
      await relayStore(db, tx).insert(Array.from({ length: 1_000 }, (_, n) => eventOf(n)))
      const fetched = async () => {
        const { rows } = await sql<{ rows: number }>`select seq_tup_read + idx_tup_fetch as rows
          from pg_stat_xact_user_tables where relname = 'relay_event'`.execute(tx)
        return rows[0]!.rows
      }
      const before = await fetched()
      await writeEvents(box.context, tx, [eventOf(1_000), eventOf(1_001)])
      return (await fetched()) - before
    })
    expect(read).toBeLessThan(10)
  })

  test('repeat a replay that is deadlocked with an arriving event', async () => {
    await box.deliver(relay, release(1))
    const { id } = relay
    let replaying: ReturnType<typeof box.ada.post> | undefined
    const arriving = box.db.q.transaction().execute(async (tx) => {
      await tx.selectFrom('entry').select('id').where('id', '=', id).forKeyShare().execute()
      replaying = box.ada.post(`${box.base}/deliveries/replay`, { id })
      await waitForLock(box.db.q)
      await tx.selectFrom('job').select('id').where('id', '=', deliveryJob(id)).forKeyShare().execute()
    })
    // PostgreSQL ends the transaction that detects the deadlock first: the replay, unless this machine is very slow.
    await arriving.catch(() => undefined)
    expect(await replaying).toMatchObject({ status: 202 })
  })
})
