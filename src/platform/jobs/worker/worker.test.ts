import { describe, expect, test } from 'vitest'
import { bothDialects } from '../../../../test/support/database/databases.ts'
import {
  pause,
  recordRun,
  rescheduleJob,
  stretchLongTimers,
  workerScene,
} from '../../../../test/support/scenes/worker-scene.ts'
import { hours } from '../../../shared/time.ts'
import { slot } from './timer-queue.ts'

describe.each(bothDialects)('the worker on %s', async (dialect) => {
  const scene = await workerScene(dialect)
  const { plan, start } = scene

  test('a job planned while the worker sleeps runs immediately', async () => {
    stretchLongTimers()
    const work = start({})
    await work.start()
    await pause(100)
    await plan('j', Date.now())
    scene.queue.wake()
    await expect.poll(() => work.done, { interval: 5 }).toEqual(['j'])
    await work.stop()
  })

  test('the next job of a lane runs as soon as the previous one is finished', async () => {
    stretchLongTimers()
    const done: string[] = []
    for (const [at, id] of ['a', 'b', 'c'].entries())
      await scene.queue.plan({ id, kind: 'turn', entryId: 'e', dueAt: Date.now() + at - 10, lane: 'lane' })
    const work = start({
      run: async (job) => {
        done.push(job.id)
        return { verdict: { id: job.id, turnAt: null, dueAt: 0, attempt: 0 } }
      },
    })
    await work.start()
    await expect.poll(() => done, { interval: 5 }).toEqual(['a', 'b', 'c'])
    await work.stop()
  })

  test('a claimed job starts at its due time, at most one time slot early', async () => {
    const dueAt = Date.now() + 300
    await plan('j', dueAt)
    let startedAt = 0
    const work = start({
      run: async (job) => {
        startedAt = Date.now()
        return rescheduleJob(job)
      },
    })
    await work.start()
    await expect.poll(() => startedAt, { interval: 5 }).toBeGreaterThanOrEqual(dueAt - slot)
    await work.stop()
  })

  test('long overdue jobs are caught up at a steady pace, oldest first, alongside jobs that are on time', async () => {
    let now = hours(10)
    const done: string[] = []
    for (let i = 0; i < 120; i++) await plan(`old${String(i).padStart(3, '0')}`, 1_000 + i)
    await plan('on time', now)
    const work = start({ now: () => now, run: async (job) => recordRun(done, { ...job, turnAt: now }) })
    await work.runDue()
    expect(done).toContain('on time')
    expect(done.filter((id) => id.startsWith('old'))).toEqual(
      Array.from({ length: 25 }, (_, i) => `old${String(i).padStart(3, '0')}`),
    )
    for (let turn = 0; turn < 10; turn++) {
      now += 100
      await work.runDue()
    }
    expect(done).toHaveLength(76)
  })

  test('the pace rises with the number of overdue jobs and resets once there are none', async () => {
    const done: string[] = []
    let elapsed = 0
    const plan = (count: number, name: string) =>
      scene.queue.add(Array.from({ length: count }, (_, i) => ({ id: name + i, kind: 'turn', entryId: 'e', dueAt: i })))
    await plan(8_000, 'a')
    const work = start({
      now: () => hours(5),
      elapsed: () => elapsed,
      run: async (job) => recordRun(done, { ...job, turnAt: hours(10) }),
    })
    const second = async () => {
      const before = done.length
      for (let turn = 0; turn < 4; turn += 1) {
        elapsed += 250
        await work.runDue()
      }
      return done.length - before
    }
    await second()
    expect(Math.round((await second()) / 10)).toBe(20)
    await scene.db.q.deleteFrom('job').execute()
    expect(await second()).toBe(0)
    await plan(1_000, 'b')
    await second()
    expect(Math.round((await second()) / 10)).toBe(5)
  })

  test('jobs overdue by two seconds are caught up at a steady pace', async () => {
    for (let i = 0; i < 40; i++) await plan(`j${i}`, 1_000 + i)
    const work = start({ now: () => 3_100 })
    await work.runDue()
    expect(work.done).toHaveLength(25)
  })

  test('the pace follows the monotonic clock and not the wall clock', async () => {
    const done: string[] = []
    let wall = hours(10)
    let elapsed = 0
    for (let i = 0; i < 80; i++) await plan(`j${i}`, hours(5) + i)
    const work = start({
      now: () => wall,
      elapsed: () => elapsed,
      run: async (job) => recordRun(done, { ...job, turnAt: hours(10) }),
    })
    await work.runDue()
    wall -= hours(1)
    for (let turn = 0; turn < 4; turn++) {
      elapsed += 250
      await work.runDue()
    }
    expect(done).toHaveLength(25 + 50)
  })

  test('a job can repeat every second', async () => {
    stretchLongTimers()
    const starts: number[] = []
    await plan('j', Date.now())
    const work = start({
      run: async (job) => {
        starts.push(job.turnAt)
        const turnAt = job.turnAt + 1_000
        return { verdict: { id: job.id, turnAt, dueAt: turnAt, attempt: 0 } }
      },
    })
    await work.start()
    await expect.poll(() => starts.length, { interval: 20 }).toBe(3)
    await work.stop()
  })
})
