import { describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { timeOutAfter } from '../../../test/support/outbound-client.ts'
import { keepaliveScene } from '../../../test/support/scenes/keepalive-scene.ts'
import { dayOf, days, hours, minutes, seconds } from '../../shared/time.ts'

describe.each(dialects)('keep-alive on %s', async (dialect) => {
  const { box, target, ada, create, read } = await keepaliveScene(dialect)

  test('a new entry is visited immediately, then every 28 minutes from start to start', async () => {
    const { id } = await create('/200')
    await box.work.runDue()
    box.pass(minutes(27))
    await box.work.runDue()
    expect(target.visits).toHaveLength(1)
    box.pass(minutes(1))
    await box.work.runDue()
    expect(target.visits).toHaveLength(2)
    const entry = await read(id)
    expect(entry.history).toMatchObject([{ success: true, status: 200 }, { success: true }])
    expect(entry.history[0].timestamp - entry.history[1].timestamp).toBe(minutes(28))
    expect(entry.nextRunAt).toBe(box.now() + minutes(28))
    expect(entry.lastRun).toEqual(entry.history[0])
    expect(entry.stats).toMatchObject({ up: 1, days: [{ day: '2026-01-05', ok: 2, fail: 0 }] })
  })

  test("an entry's interval replaces the default, and a changed one counts from the last run", async () => {
    const { id } = await create('/200', { interval: 60 })
    await box.work.runDue()
    expect((await read(id)).nextRunAt).toBe(box.now() + minutes(60))
    box.pass(minutes(5))
    await ada.patch('/api/v1/keepalive', { id, interval: 10 })
    expect((await read(id)).nextRunAt).toBe(box.now() + minutes(5))
    await ada.patch('/api/v1/keepalive', { id, interval: null })
    expect((await read(id)).nextRunAt).toBe(box.now() + minutes(23))
  })

  test('after a long downtime an entry is visited once, and its schedule is unchanged', async () => {
    const { id } = await create('/200')
    const born = box.now()
    await box.work.runDue()
    box.pass(hours(10) + minutes(1))
    await box.work.runDue()
    expect(target.visits).toHaveLength(2)
    expect((await read(id)).nextRunAt).toBe(born + minutes(28) * 22)
  })

  test.each([
    ['/404', 'answered 404'],
    ['/500', 'answered 500'],
    ['/hang', 'timeout after 60 s'],
  ])('the first run of %s fails immediately, with the reason', async (path, note) => {
    timeOutAfter(target, '/hang', '')
    const { id } = await create(path)
    await box.work.runDue()
    expect((await read(id)).history).toMatchObject([{ success: false, note }])
    expect(target.visits).toHaveLength(1)
  })

  /** Creates an entry whose first run succeeds and whose target answers with this status afterwards. */
  async function createAnswered(path: string, more: object, status: number) {
    target.on(path, { status: 200 })
    const entry = await create(path, more)
    await box.work.runDue()
    target.on(path, { status })
    return entry
  }

  test('a scheduled run with a 503 is retried after 10 s, and both attempts are one run', async () => {
    const { id } = await createAnswered('/sleepy', {}, 503)
    const turnAt = box.now() + minutes(28)
    box.pass(minutes(28))
    await box.work.runDue()
    expect((await read(id)).history).toHaveLength(1)
    box.pass(seconds(10))
    await box.work.runDue()
    expect(target.visits).toHaveLength(3)
    const entry = await read(id)
    expect(entry.history).toMatchObject([{ success: false, status: 503, note: 'answered 503' }, { success: true }])
    // A first failure is checked again after a minute, later ones are not.
    expect(entry.nextRunAt).toBe(box.now() + minutes(1))
    box.pass(minutes(1))
    await box.work.runDue()
    const { nextRunAt, history } = await read(id)
    expect([history.length, nextRunAt]).toEqual([3, turnAt + minutes(28)])
  })

  test('a run is retried only with an interval of at least 5 minutes, and not after a 404', async () => {
    const five = await createAnswered('/five', { interval: 5 }, 503)
    const short = await createAnswered('/short', { interval: 4 }, 503)
    const missing = await createAnswered('/gone', {}, 404)
    box.pass(minutes(28))
    await box.work.runDue()
    expect((await read(short.id)).history).toHaveLength(2)
    expect((await read(missing.id)).history).toHaveLength(2)
    expect((await read(five.id)).history).toHaveLength(1)
    box.pass(seconds(10))
    await box.work.runDue()
    expect((await read(five.id)).history).toHaveLength(2)
  })

  test('run now visits in addition to scheduled turns, records immediately, and works while inactive', async () => {
    const { id } = await create('/503', { status: false })
    await box.work.runDue()
    expect(target.visits).toHaveLength(0)
    expect((await ada.post(`/api/v1/keepalive/run?id=${id}`)).status).toBe(202)
    expect((await ada.post(`/api/v1/keepalive/run?id=${id}`)).status).toBe(202)
    await box.work.runDue()
    expect(target.visits).toHaveLength(1)
    const entry = await read(id)
    expect(entry.history).toMatchObject([{ success: false, note: 'answered 503' }])
    expect(entry.nextRunAt).toBeNull()
  })

  test('history keeps the newest 200 runs, daily totals include all, and old days are deleted', async () => {
    // After midnight, the total of today covers too little of the last 24 hours for an uptime.
    box.pass(days(1) - (box.now() % days(1)) + minutes(30))
    const { id } = await create('/200', { interval: 1 })
    const old = { entry_id: id, day: dayOf(box.now() - days(401)), ok: 7, fail: 0, ms_sum: 0, ms_max: 0 }
    const earlier = Array.from({ length: 199 }, (_, n) => ({
      entry_id: id,
      at: box.now() - minutes(199 - n),
      success: 1 as const,
      duration: 1,
      count: null,
      note: null,
    }))
    await box.db.q.insertInto('run').values(earlier).execute()
    const today = { ...old, day: dayOf(box.now()), ok: earlier.length }
    await box.db.q.insertInto('run_day').values([old, today]).execute()
    for (let run = 0; run < 6; run++) {
      await box.work.runDue()
      box.pass(minutes(1))
    }
    const entry = await read(id)
    expect(entry.history).toHaveLength(200)
    expect(entry.stats.days.reduce((sum: number, day: { ok: number }) => sum + day.ok, 0)).toBe(205)
    expect(entry.stats.uptime).toEqual({ '24h': null, '7d': null, '30d': null, '90d': null })
  })
})
