import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { keepaliveScene } from '../../../test/support/scenes/keepalive-scene.ts'
import type { Toolbox } from '../../../test/support/toolbox.ts'
import { sharedClock } from '../../platform/clock.ts'
import { jobs } from '../../platform/jobs/jobs.ts'
import { days, hours, minutes, seconds } from '../../shared/time.ts'

describe.each(bothDialects)('setting the clock, on %s', async (dialect) => {
  const { box, target, ada, create, read } = await keepaliveScene(dialect)
  let work: Toolbox['work']

  beforeEach(() => {
    work = box.secondWorker()
  })
  const visitsOf = (path: string) => target.visits.filter((visit) => visit.path === path).length
  const passAndWork = async (ms: number, worker = work) => {
    box.pass(ms)
    await worker.runDue()
  }

  test.each([
    ['back by a day', -days(1)],
    ['back by ten minutes', -minutes(10)],
    ['forward by a day', days(1)],
    ['forward by three seconds', seconds(3)],
  ])('%s moves every turn by the same time', async (_how, by) => {
    const { id } = await create('/200', { interval: 30 })
    await work.runDue()
    await passAndWork(minutes(20))
    box.stepClock(by)
    await work.runDue()
    expect(visitsOf('/200')).toBe(1)
    expect((await read(id)).nextRunAt).toBe(box.now() + minutes(10))
    await passAndWork(minutes(10))
    expect(visitsOf('/200')).toBe(2)
    expect((await read(id)).nextRunAt).toBe(box.now() + minutes(30))
    expect((await read(id)).lastRun.timestamp).toBe(box.now())
  })

  test('back does not prune the new runs, even if the limit of kept runs was reached before', async () => {
    const { id } = await create('/200', { interval: 1 })
    const before = Array.from({ length: 200 }, (_, n) => ({
      entry_id: id,
      at: box.now() - minutes(200 - n),
      success: 0 as const,
      duration: 1,
      count: null,
      note: null,
    }))
    await box.db.q.insertInto('run').values(before).execute()
    await work.runDue()
    box.stepClock(-days(1))
    await work.runDue()
    const began = box.now()
    for (let turn = 0; turn < 5; turn++) await passAndWork(minutes(1))
    const { history, stats, recent } = await read(id)
    expect(history).toHaveLength(200)
    expect(recent.map((run: { timestamp: number }) => run.timestamp)).toEqual(
      [5, 4, 3, 2, 1].map((turn) => began + minutes(turn)),
    )
    expect((await ada.get('/api/v1/keepalive/list?page=1')).body.rows[0].recent).toEqual(recent)
    expect((await ada.get('/api/v1/keepalive/recent')).body.recent).toEqual(recent)
    expect(history.slice(0, 6).map((run: { timestamp: number }) => run.timestamp)).toEqual([
      ...[5, 4, 3, 2, 1].map((turn) => began + minutes(turn)),
      began + days(1),
    ])
    expect(stats.up).toBe(6 / 200)
  })

  test('back while the server is stopped delays no turn by more than its interval', async () => {
    await create('/200', { interval: 30 })
    target.on('/other', { status: 200 })
    await create('/other', { interval: 60 })
    await work.runDue()
    await passAndWork(minutes(30))
    box.pass(minutes(20))
    box.stepClock(-days(1))
    const restarted = box.secondWorker()
    await restarted.runDue()
    expect(target.visits).toHaveLength(3)
    await passAndWork(minutes(30), restarted)
    expect([visitsOf('/200'), visitsOf('/other')]).toEqual([3, 2])
  })

  test('moves turns only once when several instances notice', async () => {
    const { id } = await create('/200', { interval: 30 })
    const other = box.secondWorker()
    await work.runDue()
    for (const by of [hours(1), -hours(2), seconds(40)]) {
      box.stepClock(by)
      await Promise.all([work.runDue(), other.runDue()])
      box.pass(seconds(3))
      await box.secondWorker().runDue()
    }
    expect((await read(id)).nextRunAt).toBe(box.now() + minutes(30) - 3 * seconds(3))
    expect(target.visits).toHaveLength(1)
  })

  test.each([
    ['back', -days(1)],
    ['forward', days(1)],
  ])('%s during a run keeps the rate', async (_how, by) => {
    target.on('/step', (_visit, response) => {
      if (target.visits.length === 1) box.stepClock(by)
      response.end()
    })
    const { id } = await create('/step', { interval: 30 })
    await work.runDue()
    expect((await read(id)).nextRunAt).toBe(box.now() + minutes(30))
    await passAndWork(minutes(30))
    expect(visitsOf('/step')).toBe(2)
    const history: { timestamp: number }[] = (await read(id)).history
    expect(history).toHaveLength(2)
    expect(history.every(({ timestamp }) => timestamp <= box.now())).toBe(true)
  })

  test('back does not prolong the leases of a dead instance', async () => {
    await create('/200')
    box.pass(hours(1))
    await jobs(box.db, 'dead', box.now).claim(box.now(), seconds(40), 5)
    box.stepClock(-days(1))
    const restarted = box.secondWorker()
    await restarted.runDue()
    await passAndWork(seconds(41), restarted)
    expect(visitsOf('/200')).toBe(1)
  })

  test('back does not delay a Run now that was planned before the change', async () => {
    const { id } = await create('/200')
    await work.runDue()
    await box.context.jobs.plan({ id: `now:${id}`, kind: 'now', entryId: id, dueAt: box.now() + days(1) })
    await passAndWork(minutes(1))
    await passAndWork(minutes(1))
    expect(visitsOf('/200')).toBe(2)
  })

  test('at any time never makes an entry wait longer than its interval or run twice within half of it', async () => {
    const intervals = [1, 7, 60]
    const step = fc.oneof(
      fc.integer({ min: -days(3), max: days(3) }),
      fc.integer({ min: -seconds(90), max: seconds(90) }),
    )
    const happening = fc.oneof(
      { weight: 4, arbitrary: fc.record({ pass: fc.integer({ min: seconds(1), max: minutes(4) }) }) },
      { weight: 2, arbitrary: fc.record({ step }) },
      // A step forward between two starts is indistinguishable from a long downtime.
      { weight: 1, arbitrary: fc.record({ restartAfter: fc.integer({ min: -days(3), max: 0 }) }) },
    )
    const clocksApart = seconds(2)
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 5, maxLength: 12 }), async (happenings) => {
        await box.db.q.deleteFrom('entry').execute()
        const lastAt = new Map<string, number>()
        let real = 0
        const gaps: [number, number][] = []
        for (const interval of intervals) {
          target.on(`/every${interval}`, (_visit, response) => {
            const last = lastAt.get(`${interval}`)
            if (last !== undefined) gaps.push([interval, real - last])
            lastAt.set(`${interval}`, real)
            response.end()
          })
          await create(`/every${interval}`, { interval })
        }
        let worker = box.secondWorker()
        await worker.runDue()
        for (const it of happenings) {
          if ('pass' in it) {
            real += it.pass
            box.pass(it.pass)
          } else if ('step' in it) box.stepClock(it.step)
          else {
            box.stepClock(it.restartAfter)
            worker = box.secondWorker()
          }
          await worker.runDue()
          const waiting = await box.db.q.selectFrom('job').select(['due_at', 'entry_id']).orderBy('id').execute()
          const entries = await box.db.q.selectFrom('entry').select(['id', 'settings']).execute()
          for (const { id, settings } of entries) {
            const wait = waiting.find((job) => job.entry_id === id)!.due_at - box.now()
            expect(wait).toBeGreaterThan(0)
            expect(wait).toBeLessThanOrEqual(minutes(JSON.parse(settings).interval) + clocksApart)
          }
        }
        for (const [interval, gap] of gaps) expect(gap).toBeGreaterThanOrEqual(minutes(interval) / 2)
      }),
      { numRuns: 12 },
    )
  })
})

describe('instances on machines with different clocks', async () => {
  const { box, target, create, read } = await keepaliveScene('postgres')

  /** An instance on a machine whose clock is off by `off()`; the database's clock is right. */
  const instance = async (off: () => number) => {
    const { elapsed } = box.context
    const machine = { now: () => box.now() + off(), elapsed }
    const { refresh, ...clock } = await sharedClock(box.db, machine, async () => box.now())
    return box.secondWorker({ ...clock, refreshClock: refresh })
  }

  test('setting the clock of one machine wrong, right and wrong again moves no turns', async () => {
    const { id } = await create('/200', { interval: 28 })
    await box.work.runDue()
    const dueAt = box.now() + minutes(28)
    box.pass(minutes(1))
    let off = hours(1)
    const joined = await instance(() => off)
    for (const next of [0, days(1), -days(2), 0]) {
      await joined.runDue()
      off = next
      await joined.runDue()
      await box.work.runDue()
      expect(target.visits).toHaveLength(1)
      expect((await read(id)).nextRunAt).toBe(dueAt)
      box.pass(minutes(2))
    }
    off = -days(1)
    box.pass(dueAt - box.now())
    await joined.runDue()
    expect(target.visits).toHaveLength(2)
    expect((await read(id)).nextRunAt).toBe(dueAt + minutes(28))
    expect((await read(id)).lastRun.timestamp).toBe(dueAt)
  })

  test.each([
    ['forward', hours(3)],
    ['back', -hours(3)],
  ])("setting the database's clock %s moves turns once, by whichever instance notices first", async (_how, by) => {
    const { id } = await create('/200', { interval: 28 })
    const [one, other] = [await instance(() => 0), await instance(() => 0)]
    await one.runDue()
    await other.runDue()
    box.pass(seconds(5))
    box.stepClock(by)
    await one.runDue()
    box.pass(seconds(5))
    await other.runDue()
    expect(target.visits).toHaveLength(1)
    expect((await read(id)).nextRunAt).toBe(box.now() + minutes(28) - seconds(10))
  })
})
