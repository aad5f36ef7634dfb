import { beforeEach, describe, expect, test } from 'vitest'
import { dialects } from '../../../test/support/database/databases.ts'
import { keepaliveScene } from '../../../test/support/scenes/keepalive-scene.ts'
import { days, hours, type Instant, minutes, seconds } from '../../shared/time.ts'

const everyDay = [1, 2, 3, 4, 5, 6, 7]
const quiet = { zone: 'UTC', days: everyDay, from: '13:30', to: '16:15' }

describe.each(dialects)('quiet hours on %s', async (dialect) => {
  const { box, target, ada, create, read } = await keepaliveScene(dialect)
  let noon: Instant

  beforeEach(() => {
    box.pass(Math.ceil((box.now() - hours(12)) / days(1)) * days(1) + hours(12) - box.now())
    noon = box.now()
  })
  const until = async (at: Instant, step = minutes(15)) => {
    while (box.now() < at) {
      box.pass(Math.min(step, at - box.now()))
      await box.work.runDue()
    }
  }
  const nextOf = async (id: string) => (await read(id)).nextRunAt - noon

  test('no ping is sent during quiet hours, one when they end, and then at the fixed rate', async () => {
    const { id } = await create('/200', { interval: 60, quiet })
    await box.work.runDue()
    await until(noon + hours(1))
    expect(target.visits).toHaveLength(2)
    expect(await nextOf(id)).toBe(hours(4.25))
    await until(noon + hours(4.25) - 1)
    expect(target.visits).toHaveLength(2)
    await until(noon + hours(4.25))
    expect(target.visits).toHaveLength(3)
    expect(await nextOf(id)).toBe(hours(5))
    expect((await read(id)).quiet).toEqual(quiet)
  })

  test('a new entry and a late turn wait for the end of quiet hours, but Run now does not', async () => {
    box.pass(hours(2))
    const { id } = await create('/200', { interval: 30, quiet })
    expect(await nextOf(id)).toBe(hours(4.25))
    await box.work.runDue()
    expect(target.visits).toHaveLength(0)
    expect((await ada.post(`/api/v1/keepalive/run?id=${id}`)).status).toBe(202)
    await box.work.runDue()
    expect(target.visits).toHaveLength(1)
    expect(await nextOf(id)).toBe(hours(4.25))
    // No worker ran until the quiet hours of the next day.
    box.pass(days(1))
    await box.work.runDue()
    expect([target.visits.length, await nextOf(id)]).toEqual([1, days(1) + hours(4.25)])
    await until(noon + days(1) + hours(4.25))
    expect(target.visits).toHaveLength(2)
  })

  test('changing quiet hours moves the next run, but not the rate', async () => {
    const { id } = await create('/200', { interval: 60 })
    await box.work.runDue()
    await until(noon + hours(1))
    await ada.patch('/api/v1/keepalive', { id, quiet })
    expect(await nextOf(id)).toBe(hours(4.25))
    await ada.patch('/api/v1/keepalive', { id, name: 'Kept' })
    expect(await nextOf(id)).toBe(hours(4.25))
    await ada.patch('/api/v1/keepalive', { id, quiet: { ...quiet, to: '15:00' } })
    expect(await nextOf(id)).toBe(hours(3))
    await ada.patch('/api/v1/keepalive', { id, quiet: null })
    expect(await nextOf(id)).toBe(hours(2))
    await ada.patch('/api/v1/keepalive', { id, quiet, interval: 90 })
    expect(await nextOf(id)).toBe(hours(4.25))
    box.pass(hours(1.5))
    await ada.patch('/api/v1/keepalive', { id, quiet: null, interval: 60 })
    await box.work.runDue()
    expect(target.visits).toHaveLength(3)
  })

  test('a delayed turn runs at the new end of moved quiet hours, and immediately if they are removed', async () => {
    const plans = {
      'a new entry': () => create('/200', { interval: 60, quiet }),
      'an activated entry': async () => {
        const { id } = await create('/200', { interval: 60, quiet, status: false })
        await ada.patch('/api/v1/keepalive', { id, status: true })
        return { id }
      },
      'an entry with a new URL': async () => {
        const { id } = await create('/200', { interval: 60, quiet })
        await ada.patch('/api/v1/keepalive', { id, url: `${target.origin}/200?new` })
        return { id }
      },
      'an entry with a new interval': async () => {
        const { id } = await create('/200', { interval: 30, quiet })
        await ada.patch('/api/v1/keepalive', { id, interval: 60 })
        return { id }
      },
    }
    box.pass(hours(2))
    for (const [plan, make] of Object.entries(plans)) {
      const { id } = await make()
      expect(await nextOf(id), plan).toBe(hours(4.25))
      await ada.patch('/api/v1/keepalive', { id, quiet: { ...quiet, to: '15:00' } })
      expect(await nextOf(id), plan).toBe(hours(3))
      await ada.patch('/api/v1/keepalive', { id, quiet: null })
      expect(await nextOf(id), plan).toBe(box.now() - noon)
      target.visits.length = 0
      await box.work.runDue()
      expect([target.visits.length, await nextOf(id)], plan).toEqual([1, box.now() - noon + hours(1)])
      await ada.delete(`/api/v1/keepalive?id=${id}`)
    }
  })

  test.each([
    ['the interval', { interval: 30 }, hours(4.25), hours(1.5)],
    ['only the name', { name: 'Kept' }, hours(4.25), hours(2)],
    ['the quiet hours, which are removed,', { quiet: null }, hours(2), hours(2)],
  ])(
    'after an edit of %s during a run, the next turn is planned after quiet hours until those are removed',
    async (_what, edit, next, nextWithout) => {
      const { id } = await create('/edited', { interval: 60, quiet, status: false })
      target.on('/edited', async (_visit, response) => {
        await ada.patch('/api/v1/keepalive', { id, ...edit })
        response.end()
      })
      await until(noon + hours(1))
      await ada.patch('/api/v1/keepalive', { id, status: true })
      await box.work.runDue()
      expect([target.visits.length, await nextOf(id)]).toEqual([1, next])
      await ada.patch('/api/v1/keepalive', { id, quiet: null })
      expect(await nextOf(id)).toBe(nextWithout)
    },
  )

  test('removing quiet hours during an overdue turn does not start another turn immediately', async () => {
    const { id } = await create('/edited', { interval: 60, quiet: { ...quiet, to: '13:31' } })
    await box.work.runDue()
    target.on('/edited', async (_visit, response) => {
      // The quiet hours begin during the request.
      box.pass(seconds(20))
      await ada.patch('/api/v1/keepalive', { id, quiet: null })
      response.end()
    })
    box.pass(days(1) + hours(1.5) - seconds(10))
    await box.work.runDue()
    await box.work.runDue()
    expect(target.visits).toHaveLength(2)
  })

  test('a retry that is due in quiet hours waits for their end, and one run is recorded', async () => {
    target.on('/sleepy', { status: 200 })
    const { id } = await create('/sleepy', { interval: 30, quiet: { ...quiet, from: '12:30', to: '13:00' } })
    box.pass(-seconds(5))
    await box.work.runDue()
    target.on('/sleepy', { status: 503 })
    box.pass(minutes(30))
    await box.work.runDue()
    expect(target.visits).toHaveLength(2)
    await until(noon + hours(1) - seconds(1), minutes(5))
    expect(target.visits).toHaveLength(2)
    target.on('/sleepy', { status: 200 })
    await until(noon + hours(1))
    const { history } = await read(id)
    expect(history).toMatchObject([{ success: true }, { success: true }])
    expect(target.visits).toHaveLength(3)
  })

  test('quiet hours follow the clock when it is changed', async () => {
    await create('/200', { interval: 60, quiet })
    await box.work.runDue()
    await until(noon + hours(1))
    // From 13:00 to 15:00: planned turns are shifted, but the end of quiet hours is not.
    box.stepClock(hours(2))
    await box.work.runDue()
    await until(noon + hours(4.25) - 1)
    expect(target.visits).toHaveLength(2)
    await until(noon + hours(4.25))
    expect(target.visits).toHaveLength(3)
  })

  test.each([
    [{ ...quiet, zone: 'Nowhere/Land' }, 'Enter a time zone, such as Europe/Berlin.'],
    [{ ...quiet, days: [] }, 'Choose at least one day.'],
    [{ ...quiet, to: quiet.from }, 'Choose two different times.'],
    [{ ...quiet, days: [8] }, 'Use days from 1 (Monday) to 7 (Sunday).'],
  ])('invalid quiet hours are rejected: %j', async (invalid, why) => {
    const { status, body } = await ada.post('/api/v1/keepalive/', { url: `${target.origin}/200`, quiet: invalid })
    expect([status, body.fields]).toEqual([400, { quiet: expect.stringContaining(why) }])
  })

  test('quiet hours follow their time zone, even across daylight saving changes', async () => {
    const berlin = { zone: 'Europe/Berlin', days: everyDay, from: '22:00', to: '07:00' }
    const { id } = await create('/200', { interval: 60, quiet: berlin })
    const before = { forward: Date.UTC(2026, 2, 28, 12), back: Date.UTC(2026, 9, 24, 12) }
    for (const [at, first] of [
      [before.forward, Date.UTC(2026, 2, 29, 5)],
      [before.back, Date.UTC(2026, 9, 25, 6)],
    ] as const) {
      box.pass(at - box.now())
      await box.work.runDue()
      await until(at + hours(10))
      // Read the table, because the session has expired by now.
      const jobs = box.db.q.selectFrom('job').select('due_at').where('entry_id', '=', id)
      expect(await jobs.execute()).toEqual([{ due_at: first }])
      target.visits.length = 0
      await until(first - 1)
      expect(target.visits).toHaveLength(0)
      await until(first)
      expect(target.visits).toHaveLength(1)
    }
  })
})
