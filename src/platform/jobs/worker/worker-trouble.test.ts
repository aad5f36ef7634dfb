import { describe, expect, test } from 'vitest'
import { bothDialects } from '../../../../test/support/database/databases.ts'
import { never, rescheduleJob, workerScene } from '../../../../test/support/scenes/worker-scene.ts'
import { hours, minutes, seconds } from '../../../shared/time.ts'
import { DatabaseUnavailable } from '../../db/unavailable.ts'
import type { Jobs } from '../jobs.ts'
import type { Finished } from './worker.ts'

/** Waits briefly for work that never ends, but long for the database. */
const impatient = { inFlight: 300, database: seconds(30) }
const brief = { inFlight: 300, database: 100 }

describe.each(bothDialects)('the worker during failures on %s', async (dialect) => {
  const scene = await workerScene(dialect)
  const { dueTimes, leased, plan, start } = scene

  test('a job that could not be prepared is retried after 5 s', async () => {
    await plan('j', 2_000)
    const work = start({ now: () => 2_000, prepare: () => Promise.reject(new Error('the database is away')) })
    await expect(work.runDue()).rejects.toThrow('away')
    await work.stop()
    expect(await scene.queue.nextFree()).toBe(7_000)
    expect(await leased()).toEqual([])
  })

  test("a hanging database counts as stalled and doesn't delay a stop", async () => {
    await plan('j', Date.now())
    const hangs = Promise.withResolvers<void>()
    const record = () => {
      hangs.resolve()
      return never()
    }
    const work = start({ record, jobs: { release: never }, timeouts: brief })
    await work.start()
    await hangs.promise
    expect(await leased()).toEqual(['j'])
    expect(work.standstillAfter(14_000)).toBeUndefined()
    expect(work.standstillAfter(1_000)).toBe('worker')
    await work.stop()
  })

  test("hanging claims count as stalled and don't delay a stop", async () => {
    const work = start({ jobs: { claim: never, release: never }, timeouts: brief })
    await work.start()
    expect(work.standstillAfter(15_000)).toBe('worker')
    await work.stop()
  })

  test('nothing is claimed while results cannot be written', async () => {
    let now = 5_000
    await plan('a', 5_000)
    const work = start({ now: () => now, record: () => Promise.reject(new Error('the disk is full')) })
    await expect(work.runDue()).rejects.toThrow('full')
    now += 10_000
    await plan('b', now)
    await expect(work.runDue()).rejects.toThrow('full')
    expect(work.done).toEqual(['a'])
    await work.stop().catch(() => {})
  })

  test("a result that cannot be written doesn't delay others, and its job is retried after a minute", async () => {
    let now = 5_000
    for (const id of ['a', 'odd', 'b']) await plan(id, 5_000)
    const isOdd = ({ verdict: { id, turnAt } }: Finished) => id === 'odd' && turnAt === 5_000 + hours(1)
    const work = start({
      now: () => now,
      async record(results) {
        if (results.some(isOdd)) throw new Error('invalid input syntax')
        await scene.queue.finish(results.map((result) => result.verdict))
      },
    })
    await work.runDue()
    expect(await leased()).toEqual([])
    expect(await dueTimes()).toEqual({ a: 5_000 + hours(1), b: 5_000 + hours(1), odd: 5_000 + minutes(1) })
    expect(work.messages).toEqual(['Failed to store a result; retrying its job in a minute'])
    now += seconds(30)
    await plan('c', now)
    await work.runDue()
    now += seconds(30)
    await work.runDue()
    expect(work.done.toSorted()).toEqual(['a', 'b', 'c', 'odd', 'odd'])
  })

  test('a stop writes pending results before it releases the jobs that still run', async () => {
    const dueAt = Date.now()
    for (const id of ['done', 'hangs']) await plan(id, dueAt)
    let isAway = true
    let failed = false
    const work = start({
      timeouts: impatient,
      run: async (job) => (job.id === 'hangs' ? never() : rescheduleJob(job)),
      async record(results) {
        failed = isAway
        if (isAway) throw new DatabaseUnavailable('unreachable')
        await scene.queue.finish(results.map((result) => result.verdict))
      },
    })
    await work.start()
    await expect.poll(() => failed, { interval: 5 }).toBe(true)
    isAway = false
    await work.stop()
    expect(await leased()).toEqual([])
    expect(await dueTimes()).toEqual({ done: dueAt + hours(1), hangs: dueAt })
  })

  test('a stop releases leased jobs even if results cannot be written', async () => {
    await plan('j', Date.now())
    let tries = 0
    const work = start({
      record() {
        tries += 1
        return Promise.reject(new DatabaseUnavailable('unreachable'))
      },
    })
    await work.start()
    await expect.poll(() => tries, { interval: 5 }).toBeGreaterThan(0)
    await work.stop().catch(() => {})
    expect(await leased()).toEqual([])
  })

  test('a stop finishes the jobs in flight and releases the rest', async () => {
    await plan('a', 1_000)
    for (let i = 0; i < 5; i++) await plan(`waits${i}`, 1_001 + i)
    const { promise: gate, resolve: finish } = Promise.withResolvers<void>()
    let started = 0
    const work = start({
      target: () => 'one',
      run: async (job) => {
        started += 1
        await gate
        return rescheduleJob(job)
      },
    })
    await work.start()
    await expect.poll(() => started).toBe(2)
    const stopped = work.stop()
    finish()
    await stopped
    expect(started).toBe(2)
    expect(await leased()).toEqual([])
    const remaining = await scene.db.q.selectFrom('job').select('id').where('turn_at', '<', 2_000).execute()
    expect(remaining).toHaveLength(4)
  })

  test('a stop logs that it abandoned work in flight', async () => {
    await plan('j', 1_000)
    const work = start({ run: never, timeouts: impatient })
    await work.start()
    await expect.poll(leased).toEqual(['j'])
    await work.stop()
    expect(work.messages).toContain('Abandoned jobs in progress; they will run again')
  })

  test.each([
    {
      what: 'throws',
      error: new Error('a bug'),
      after: minutes(1),
      message: 'A job failed unexpectedly; retrying it in a minute',
    },
    {
      what: 'finds the database unavailable',
      error: new DatabaseUnavailable('unreachable'),
      after: seconds(5),
      message: 'A job could not reach the database; retrying it in 5 s',
    },
  ])('a job that $what is logged and retried later', async ({ error, after, message }) => {
    await plan('j', 1_000)
    const work = start({ now: () => 2_000, run: () => Promise.reject(error) })
    await work.runDue()
    expect(await scene.queue.nextFree()).toBe(2_000 + after)
    expect(work.messages).toEqual([message])
  })

  test('jobs of a claim whose result was lost run at the next attempt', async () => {
    await plan('j', 1_000)
    let isLost = true
    const claim: Jobs['claim'] = async (...args) => {
      const claimed = await scene.queue.claim(...args)
      if (isLost && claimed.length > 0) throw new DatabaseUnavailable('unreachable')
      return claimed
    }
    const work = start({ now: () => 2_000, jobs: { claim } })
    await expect(work.runDue()).rejects.toThrow()
    isLost = false
    await work.runDue()
    expect(work.done).toEqual(['j'])
  })
})
