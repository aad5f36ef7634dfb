import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { deliveryScene } from '../../../test/support/scenes/relay/delivery-scene.ts'
import { release } from '../../../test/support/scenes/relay/relay.ts'
import { recountSql } from '../../platform/db/migrations/counter-triggers.ts'
import { days } from '../../shared/time.ts'
import { relayVolumes } from './migrations.ts'
import { bounds } from './queue/bounds.ts'
import { eventIds, relayStore } from './queue/store.ts'
import { reopen } from './routes.ts'

describe.each(bothDialects)('the bounds of an entry on %s', async (dialect) => {
  const { box, relay } = await deliveryScene(dialect)

  /** Inserts events in this state that are older than any event delivered during the test. */
  const fill = async (count: number, state: string, { prefix = '0', bytes = 2 } = {}) => {
    await sql`with recursive numbers as (select 1 as i union all select i + 1 from numbers where i < ${sql.lit(count)}),
      texts as (select ${sql.lit(prefix)} || cast(100000 + i as text) as n from numbers)
      insert into relay_event (id, entry_id, event_id, event_key, resource, action, state, received_at, payload)
      select n, ${sql.lit(relay.id)}, n, n, '', '', ${sql.lit(state)}, 0, ${sql.lit('x'.repeat(bytes))} from texts`.execute(
      box.db.q,
    )
    await sql.raw(recountSql(relayVolumes)).execute(box.db.q)
  }
  const stored = async () => {
    const { rows } = await sql<{ state: string; count: number; bytes: number; oldest: string }>`
      select state, count(*) as count, sum(octet_length(payload)) as bytes, min(id) as oldest from relay_event
      where entry_id = ${relay.id} group by state order by state`.execute(box.db.q)
    return rows.map((row) => ({ ...row, count: Number(row.count), bytes: Number(row.bytes) }))
  }
  const total = async () => (await stored()).reduce((sum, { count }) => sum + count, 0)
  const post = (event = release(1)) => {
    box.pass(1)
    return box.deliver(relay, event)
  }

  test('undelivered events are kept when they fill the entry, and further ones are answered with 429', async () => {
    await fill(6_000, 'accepted')
    await fill(3_999, 'held', { prefix: '1' })
    const first = release(1)
    expect(await post(first)).toBe(204)
    expect(await post()).toBe(429)
    expect(await total()).toBe(10_000)
    expect((await box.read(relay.id)).refused).toMatchObject({ count: 1, why: 'too many undelivered events' })
    // Known, duplicate and ignored events are accepted anyway: they add no undelivered event.
    expect(await post(first)).toBe(204)
    expect(await post({ ...first, id: 'the same once more' })).toBe(204)
    await box.ada.patch(box.base, { id: relay.id, status: false })
    expect(await post()).toBe(204)
    await box.ada.patch(box.base, { id: relay.id, status: true })
    expect(await stored()).toMatchObject([{ count: 6_001 }, { state: 'held', count: 3_999 }])
    expect((await box.ada.post(`${box.base}/test?id=${relay.id}`)).status).toBe(409)
    // Delivered events make room again.
    await sql`update relay_event set state = 'delivered' where id < '0100003'`.execute(box.db.q)
    expect(await post()).toBe(204)
  })

  test('finished events are deleted first, from the oldest, in batches', async () => {
    await fill(100, 'held')
    for (const [prefix, state] of [
      ['1', 'ignored'],
      ['2', 'collapsed'],
      ['3', 'delivered'],
    ] as const)
      await fill(3_300, state, { prefix })
    expect(await total()).toBe(10_000)
    expect(await post()).toBe(204)
    expect(await stored()).toMatchObject([
      { state: 'accepted', count: 1 },
      { state: 'collapsed', count: 3_300 },
      { state: 'delivered', count: 3_300 },
      { state: 'held', count: 100 },
      { state: 'ignored', count: 3_199, oldest: '1100102' },
    ])
  })

  test('payloads are limited to 32 MB', async () => {
    const bytes = 256_000
    await fill(120, 'held', { bytes })
    await fill(5, 'delivered', { prefix: '1', bytes })
    expect(await post()).toBe(204)
    expect(await stored()).toMatchObject([
      { state: 'accepted', count: 1 },
      { count: 3, oldest: '1100003' },
      { count: 120 },
    ])
    await fill(4, 'accepted', { prefix: '2', bytes })
    await fill(1, 'accepted', { prefix: '3', bytes: 254_000 })
    expect(await post()).toBe(429)
    expect((await stored()).reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(bounds.bytes)
  })

  test('concurrent events are accepted up to the limit, each with its duplicates', async () => {
    await fill(9_990, 'accepted')
    const versions = Array.from({ length: 30 }, (_, n) => n + 10)
    const statuses = await Promise.all(
      versions
        .map(release)
        .flatMap((event) => [box.deliver(relay, event), box.deliver(relay, { ...event, id: `again-${event.id}` })]),
    )
    expect(statuses).toEqual([...Array(20).fill(204), ...Array(40).fill(429)])
    // The collapsed duplicates are deleted for lack of room.
    expect(await stored()).toMatchObject([{ state: 'accepted', count: 10_000 }])
  })

  test('both copies of an event that arrives twice at the same time are rejected when there is no room', async () => {
    await fill(9_999, 'accepted')
    const [first, second] = [release(1), release(2)]
    const statuses = await Promise.all([first, first, second, second].map((event) => box.deliver(relay, event)))
    expect(statuses).toEqual([204, 204, 429, 429])
  })

  test('the counters match the stored events after any changes', async () => {
    const second = await box.relay(box.discord.webhook())
    const store = relayStore(box.db)
    const nextId = eventIds(box.now)
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const states = ['accepted', 'delivered', 'ignored', 'collapsed', 'held'] as const
    const ids: string[] = []
    const entryOf = (n: number) => (n % 2 ? relay.id : second.id)
    const add = async () => {
      const events = Array.from({ length: 1 + random(5) }, () => {
        const { id, at } = nextId()
        ids.push(id)
        const event_id = random(4) === 0 ? 'known' : id
        const entry_id = entryOf(random(2))
        const event = { id, entry_id, event_id, resource: 'r', action: 'a', note: null, collapse_key: null }
        return { ...event, state: states[random(5)]!, received_at: at, payload: '"é"'.repeat(random(50)) }
      })
      await store.insert(events)
    }
    const some = () => ids[random(ids.length)]!
    const does = [
      add,
      add,
      add,
      () =>
        store.recordAttempt(entryOf(random(2)), some(), { state: states[random(5)]!, note: '', calls: 1 }, box.now()),
      () => reopen(box.db.q, entryOf(random(2)), { heldOnly: random(2) === 0 }),
      () => reopen(box.db.q, entryOf(random(2)), { ids: [some(), some()], heldOnly: false }),
      () => store.cleanUp(box.now()),
      () => sql`update relay_event set payload = '{}', state = 'held' where id = ${some()}`.execute(box.db.q),
      () => sql`update relay_event set state = 'delivered' where received_at % 3 = 0`.execute(box.db.q),
      () => sql`delete from relay_event where received_at % 5 = 0`.execute(box.db.q),
      async () => box.pass(days(10)),
      () =>
        box.db.q
          .transaction()
          .execute(async (tx) => {
            await relayStore(box.db, tx).deleteEventsOf([relay.id])
            throw new Error('undone')
          })
          .catch(() => {}),
      () => sql`update relay set events = 99, open_bytes = 7`.execute(box.db.q).then(() => store.afterImport()),
    ]
    await add()
    for (let step = 0; step < 300; step++) {
      await does[random(does.length)]!()
      if (step % 10 === 9) await expectCounted()
    }
    await store.deleteEventsOf([second.id])
    await expectCounted()
  })

  async function expectCounted() {
    const isOpen = sql`state in ('accepted', 'held')`
    const { rows: counted } =
      await sql`select entry_id, events, bytes, open_events, open_bytes from relay order by 1`.execute(box.db.q)
    const { rows: real } = await sql`select relay.entry_id, count(id) as events,
      cast(coalesce(sum(octet_length(payload)), 0) as bigint) as bytes,
      cast(coalesce(sum(case when ${isOpen} then 1 else 0 end), 0) as bigint) as open_events,
      cast(coalesce(sum(case when ${isOpen} then octet_length(payload) else 0 end), 0) as bigint) as open_bytes
      from relay left join relay_event on relay_event.entry_id = relay.entry_id group by 1 order by 1`.execute(box.db.q)
    expect(counted).toEqual(real)
  }
})
