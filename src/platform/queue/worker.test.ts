import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dialects, freshDatabase, insertEntry, insertUser } from '../../../test/support/database/databases.ts'
import { hours, minutes, seconds } from '../../shared/time.ts'
import type { Db } from '../db/open.ts'
import { DatabaseUnavailable } from '../db/unavailable.ts'
import { createHealth } from '../health.ts'
import { createMetrics } from '../metrics.ts'
import { type Job, type Jobs, jobs } from './jobs.ts'
import { shiftJobs } from './shift.ts'
import { slot } from './timer-queue.ts'
import { type Settled, worker } from './worker.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const later = (job: Job): Settled => ({
  verdict: { id: job.id, turnAt: job.turnAt + hours(1), dueAt: job.turnAt + hours(1), attempt: 0 },
})

const noted = (done: string[], job: Job): Settled => {
  done.push(job.id)
  return later(job)
}

describe.each(dialects)('the worker on %s', (dialect) => {
  let database: { db: Db; drop: () => Promise<void> }
  let queue: Jobs

  beforeAll(async () => {
    database = await freshDatabase(dialect)
    await insertUser(database.db, 'ada')
    await insertEntry(database.db, 'e', 'ada')
  })
  afterAll(() => database.drop())
  beforeEach(async () => {
    await database.db.q.deleteFrom('job').execute()
    queue = jobs(database.db, 'me', Date.now)
  })

  const plan = (id: string, dueAt: number) => queue.plan({ id, kind: 'turn', entryId: 'e', dueAt })
  const leased = async () =>
    (await database.db.q.selectFrom('job').select('id').where('lease_by', 'is not', null).execute()).map(
      (row) => row.id,
    )

  const dueTimes = async () => {
    const rows = await database.db.q.selectFrom('job').select(['id', 'due_at']).execute()
    return Object.fromEntries(rows.map((row) => [row.id, row.due_at]))
  }

  function start(options: {
    now?: () => number
    elapsed?: () => number
    jobs?: Partial<Jobs>
    target?: (job: Job) => string
    run: (job: Job) => Promise<Settled>
    prepare?: () => Promise<never>
    settle?: (results: readonly Settled[]) => Promise<void>
  }) {
    const said: unknown[] = []
    let at = 0
    const health = createHealth(() => at)
    return {
      said,
      standstillAfter: (ms: number) => {
        at += ms
        return health.standstill()
      },
      ...worker<Settled>({
        jobs: { ...queue, ...options.jobs },
        now: options.now ?? Date.now,
        elapsed: options.elapsed ?? options.now ?? (() => performance.now()),
        health,
        log: pino({ level: 'warn' }, { write: (line: string) => said.push(JSON.parse(line).msg) }),
        metrics: createMetrics(),
        prepare:
          options.prepare ??
          (async (list) =>
            new Map(
              list.map((job) => [job.id, { target: options.target?.(job) ?? job.id, run: () => options.run(job) }]),
            )),
        settle:
          options.settle ??
          (async (results) => {
            await queue.settle(results.map((result) => result.verdict))
          }),
        shift: async (step) => void (await shiftJobs(database.db, database.db.q, step, options.now?.() ?? Date.now())),
        plannedAhead: async () => undefined,
        patience: { inFlight: 300, database: 100 },
      }),
    }
  }
  const never = () => new Promise<never>(() => {})

  test('a job planned while it sleeps is done at once', async () => {
    const done: string[] = []
    const work = start({ run: async (job) => noted(done, job) })
    await work.start()
    await pause(100)
    await plan('j', Date.now())
    queue.wake()
    await expect.poll(() => done, { timeout: 1_000, interval: 5 }).toEqual(['j'])
    await work.stop()
  })

  test('the next job of a lane is done as soon as the one before it is settled', async () => {
    const done: string[] = []
    for (const [at, id] of ['a', 'b', 'c'].entries())
      await queue.plan({ id, kind: 'turn', entryId: 'e', dueAt: Date.now() + at - 10, lane: 'lane' })
    const work = start({
      run: async (job) => {
        done.push(job.id)
        return { verdict: { id: job.id, turnAt: null, dueAt: 0, attempt: 0 } }
      },
    })
    await work.start()
    await expect.poll(() => done, { timeout: 3_000, interval: 5 }).toEqual(['a', 'b', 'c'])
    await work.stop()
  })

  test('a job is started at its time or a slot earlier, not when it was claimed', async () => {
    const dueAt = Date.now() + 300
    await plan('j', dueAt)
    let startedAt = 0
    const work = start({
      run: async (job) => {
        startedAt = Date.now()
        return later(job)
      },
    })
    await work.start()
    await expect.poll(() => startedAt, { timeout: 2_000, interval: 5 }).toBeGreaterThanOrEqual(dueAt - slot)
    await work.stop()
  })

  test('one target has two in flight at most, and does not hold up the others', async () => {
    let running = 0
    let most = 0
    let elsewhere = 0
    for (let i = 0; i < 15; i++) await plan(`crowd${i}`, 1_000 + i)
    await plan('alone', 2_000)
    const work = start({
      now: () => 3_000,
      target: (job) => (job.id === 'alone' ? 'alone' : 'crowd'),
      run: async (job) => {
        if (job.id === 'alone') {
          elsewhere = running
          return later(job)
        }
        running += 1
        most = Math.max(most, running)
        await pause(10)
        running -= 1
        return later(job)
      },
    })
    await work.runDue()
    expect(most).toBe(2)
    expect(elsewhere).toBe(2)
    expect(await queue.nextFree()).toBe(1_000 + hours(1))
  })

  test('what a crowded target cannot take soon comes back later, and none is lost', async () => {
    let now = 3_000
    const done: string[] = []
    for (let i = 0; i < 40; i++) await plan(`j${i}`, 1_000 + i)
    const work = start({ now: () => now, target: () => 'one', run: async (job) => noted(done, job) })
    await work.runDue()
    expect(done.length).toBeLessThan(40)
    now += minutes(1)
    await work.runDue()
    expect(new Set(done).size).toBe(40)
  })

  test('what is long overdue is caught up at a steady pace, oldest first, beside what is on time', async () => {
    let now = hours(10)
    const done: string[] = []
    for (let i = 0; i < 120; i++) await plan(`old${String(i).padStart(3, '0')}`, 1_000 + i)
    await plan('on time', now)
    const work = start({ now: () => now, run: async (job) => noted(done, { ...job, turnAt: now }) })
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

  test('what is overdue by two seconds is caught up at that pace, too', async () => {
    const done: string[] = []
    for (let i = 0; i < 40; i++) await plan(`j${i}`, 1_000 + i)
    const work = start({ now: () => 3_100, run: async (job) => noted(done, job) })
    await work.runDue()
    expect(done).toHaveLength(25)
  })

  test('the pace comes from a clock that nobody sets', async () => {
    const done: string[] = []
    let wall = hours(10)
    let elapsed = 0
    for (let i = 0; i < 80; i++) await plan(`j${i}`, hours(5) + i)
    const work = start({
      now: () => wall,
      elapsed: () => elapsed,
      run: async (job) => noted(done, { ...job, turnAt: hours(10) }),
    })
    await work.runDue()
    wall -= hours(1)
    for (let turn = 0; turn < 4; turn++) {
      elapsed += 250
      await work.runDue()
    }
    expect(done).toHaveLength(25 + 50)
  })

  test('a rate of a second is kept from start to start', async () => {
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
    await expect.poll(() => starts.length, { timeout: 3_500, interval: 20 }).toBe(3)
    await work.stop()
  })

  test('a host without a free place takes the oldest turns first', async () => {
    const done: string[] = []
    const starts = [20, 30, 25, 10, 15, 12]
    for (const at of starts) await queue.plan({ id: `j${at}`, kind: 'turn', entryId: 'e', dueAt: 1_000, turnAt: at })
    let now = 1_000
    const finish: (() => void)[] = []
    const work = start({
      now: () => now,
      target: () => 'one',
      run: async (job) => {
        await new Promise<void>((resolve) => finish.push(resolve))
        return noted(done, job)
      },
    })
    const all = work.runDue()
    for (let i = 0; i < starts.length; i++) {
      // Both places are taken, so that the next is the only one that begins.
      await expect.poll(() => finish.length, { interval: 2 }).toBeGreaterThan(Math.min(i + 1, starts.length - 1))
      finish[i]?.()
    }
    now += 1
    await all
    expect(done.slice(2)).toEqual(
      ['j10', 'j12', 'j15', 'j20', 'j25', 'j30'].filter((id) => !done.slice(0, 2).includes(id)),
    )
  })

  test('what waited longer than its lease holds, in a process that was stopped, is not begun', async () => {
    let now = 1_000
    const began: string[] = []
    let finish = () => {}
    const gate = new Promise<void>((resolve) => {
      finish = resolve
    })
    for (let i = 0; i < 4; i++) await plan(`j${i}`, 1_000)
    const work = start({
      now: () => now,
      target: () => 'one',
      run: async (job) => {
        began.push(job.id)
        await gate
        return later(job)
      },
    })
    const all = work.runDue()
    await expect.poll(() => began.length, { interval: 2 }).toBe(2)
    now += minutes(1)
    const others = await jobs(database.db, 'another', Date.now).claim(now, minutes(1), 10)
    expect(others).toHaveLength(4)
    finish()
    await all
    expect(began).toHaveLength(2)
    expect(await leased()).toHaveLength(4)
  })

  /** Jobs of one host, of which two run until they are let go and the others wait. */
  async function crowd(ids: readonly string[]) {
    const began: string[] = []
    const ends = new Map<string, () => void>()
    const moved = new Set<string>()
    for (const id of ids) await plan(id, 1_000)
    const work = start({
      now: () => 1_000,
      target: (job) => (moved.has(job.id) ? 'elsewhere' : 'one'),
      run: async (job) => {
        began.push(job.id)
        await new Promise<void>((resolve) => ends.set(job.id, resolve))
        return later(job)
      },
    })
    const all = [work.runDue()]
    await expect.poll(() => began.length, { interval: 2 }).toBe(2)
    const [waits = ''] = ids.filter((id) => !began.includes(id))
    const [running = ''] = began
    return {
      began,
      moved,
      waits,
      running,
      look: () => all.push(work.runDue()),
      end: (id: string) => ends.get(id)?.(),
      async endAll() {
        const ending = setInterval(() => ends.forEach((end) => void end()), 2)
        await Promise.all(all).finally(() => clearInterval(ending))
      },
    }
  }

  test('what waits for its host and is planned anew starts on its new host at once, and once', async () => {
    const { began, moved, waits, look, endAll } = await crowd(['a', 'b', 'c'])
    moved.add(waits)
    await plan(waits, 1_000)
    look()
    await expect.poll(() => began, { interval: 2 }).toHaveLength(3)
    await endAll()
    expect(began.toSorted()).toEqual(['a', 'b', 'c'])
    expect(await leased()).toEqual([])
  })

  test.each([
    ['cancelled', async (id: string) => queue.cancel(id)],
    ['planned for later', async (id: string) => plan(id, 9_000)],
    [
      'planned anew and taken by another instance',
      async (id: string) => {
        await plan(id, 1_000)
        await jobs(database.db, 'another', Date.now).claim(1_000, minutes(1), 1)
      },
    ],
  ])('what waits for its host and is %s is not begun', async (_what, change) => {
    const { began, waits, endAll } = await crowd(['a', 'b', 'c'])
    await change(waits)
    await endAll()
    expect(began).not.toContain(waits)
  })

  test('what ran when its job was planned anew says nothing about the new plan', async () => {
    const { began, moved, running, look, end, endAll } = await crowd(['a', 'b'])
    const endOld = end.bind(undefined, running)
    const turn = async () =>
      (await database.db.q.selectFrom('job').select(['turn_at', 'lease_by']).where('id', '=', running).execute())[0]
    moved.add(running)
    await plan(running, 900)
    endOld()
    look()
    await expect.poll(() => began, { interval: 2 }).toHaveLength(3)
    await pause(300)
    expect(await turn()).toMatchObject({ turn_at: 900, lease_by: expect.any(String) })
    await endAll()
    expect(await turn()).toMatchObject({ turn_at: 900 + hours(1), lease_by: null })
  })

  test('what could not be prepared comes back in seconds', async () => {
    await plan('j', 2_000)
    const work = start({
      now: () => 2_000,
      run: async (job) => later(job),
      prepare: () => Promise.reject(new Error('the database is away')),
    })
    await expect(work.runDue()).rejects.toThrow('away')
    await work.stop()
    expect(await queue.nextFree()).toBe(7_000)
    expect(await leased()).toEqual([])
  })

  test('a database that hangs is told, and does not hold up a stop', async () => {
    await plan('j', Date.now())
    const work = start({ run: async (job) => later(job), settle: never, jobs: { release: never } })
    await work.start()
    await expect.poll(leased).toEqual(['j'])
    await pause(400)
    expect(work.standstillAfter(14_000)).toBeUndefined()
    expect(work.standstillAfter(1_000)).toBe('worker')
    await work.stop()
  })

  test('claims that hang are told, and do not hold up a stop', async () => {
    const work = start({ run: async (job) => later(job), jobs: { claim: never, release: never } })
    await work.start()
    expect(work.standstillAfter(15_000)).toBe('worker')
    await work.stop()
  })

  test('nothing is claimed while results cannot be written', async () => {
    const done: string[] = []
    let now = 5_000
    await plan('a', 5_000)
    const work = start({
      now: () => now,
      run: async (job) => noted(done, job),
      settle: () => Promise.reject(new Error('the disk is full')),
    })
    await expect(work.runDue()).rejects.toThrow('full')
    now += 10_000
    await plan('b', now)
    await expect(work.runDue()).rejects.toThrow('full')
    expect(done).toEqual(['a'])
    await work.stop().catch(() => {})
  })

  test('a result that cannot be written holds up no other, and its job comes back in a minute', async () => {
    const done: string[] = []
    let now = 5_000
    for (const id of ['a', 'odd', 'b']) await plan(id, 5_000)
    const isOdd = ({ verdict: { id, turnAt } }: Settled) => id === 'odd' && turnAt === 5_000 + hours(1)
    const work = start({
      now: () => now,
      run: async (job) => noted(done, job),
      async settle(results) {
        if (results.some(isOdd)) throw new Error('invalid input syntax')
        await queue.settle(results.map((result) => result.verdict))
      },
    })
    await work.runDue()
    expect(await leased()).toEqual([])
    expect(await dueTimes()).toEqual({ a: 5_000 + hours(1), b: 5_000 + hours(1), odd: 5_000 + minutes(1) })
    expect(work.said).toEqual(['A result could not be written; its job is tried again in a minute.'])
    now += seconds(30)
    await plan('c', now)
    await work.runDue()
    now += seconds(30)
    await work.runDue()
    expect(done.toSorted()).toEqual(['a', 'b', 'c', 'odd', 'odd'])
  })

  test('a stop writes the results that wait before it gives back what still runs', async () => {
    const dueAt = Date.now()
    for (const id of ['done', 'hangs']) await plan(id, dueAt)
    let isAway = true
    let failed = false
    const work = start({
      run: async (job) => (job.id === 'hangs' ? never() : later(job)),
      async settle(results) {
        failed = isAway
        if (isAway) throw new DatabaseUnavailable('unreachable')
        await queue.settle(results.map((result) => result.verdict))
      },
    })
    await work.start()
    await expect.poll(() => failed, { timeout: 2_000, interval: 5 }).toBe(true)
    isAway = false
    await work.stop()
    expect(await leased()).toEqual([])
    expect(await dueTimes()).toEqual({ done: dueAt + hours(1), hangs: dueAt })
  })

  test('a stop gives back what it has although results cannot be written', async () => {
    await plan('j', Date.now())
    let tries = 0
    const work = start({
      run: async (job) => later(job),
      settle() {
        tries += 1
        return Promise.reject(new DatabaseUnavailable('unreachable'))
      },
    })
    await work.start()
    await expect.poll(() => tries, { timeout: 2_000, interval: 5 }).toBeGreaterThan(0)
    await work.stop().catch(() => {})
    expect(await leased()).toEqual([])
  })

  test('a stop finishes what is in flight and gives back the rest', async () => {
    await plan('a', 1_000)
    for (let i = 0; i < 5; i++) await plan(`waits${i}`, 1_001 + i)
    let finish = () => {}
    const gate = new Promise<void>((resolve) => {
      finish = resolve
    })
    let started = 0
    const work = start({
      target: () => 'one',
      run: async (job) => {
        started += 1
        await gate
        return later(job)
      },
    })
    await work.start()
    await expect.poll(() => started, { timeout: 2_000 }).toBe(2)
    const stopped = work.stop()
    finish()
    await stopped
    expect(started).toBe(2)
    expect(await leased()).toEqual([])
    const left = await database.db.q.selectFrom('job').select('id').where('turn_at', '<', 2_000).execute()
    expect(left).toHaveLength(4)
  })

  test('a stop tells what it gave up', async () => {
    await plan('j', 1_000)
    const work = start({ run: never })
    await work.start()
    await expect.poll(leased).toEqual(['j'])
    await work.stop()
    expect(work.said).toContain('Work in flight was given up; it will be done again')
  })

  test('a job that breaks is told, and tried again in a minute', async () => {
    await plan('j', 1_000)
    const work = start({
      now: () => 2_000,
      run: async () => {
        throw new Error('a bug')
      },
    })
    await work.runDue()
    expect(await queue.nextFree()).toBe(2_000 + minutes(1))
    expect(work.said).toEqual(['A job broke; it is tried again in a minute.'])
  })

  test('what was claimed though the answer was lost is done at the next look', async () => {
    await plan('j', 1_000)
    const done: string[] = []
    let isLost = true
    const claim: Jobs['claim'] = async (...args) => {
      const claimed = await queue.claim(...args)
      if (isLost && claimed.length > 0) throw new DatabaseUnavailable('unreachable')
      return claimed
    }
    const work = start({ now: () => 2_000, jobs: { claim }, run: async (job) => noted(done, job) })
    await expect(work.runDue()).rejects.toThrow()
    isLost = false
    await work.runDue()
    expect(done).toEqual(['j'])
  })

  test('a job that found no database for a moment is tried again in seconds', async () => {
    await plan('j', 1_000)
    const work = start({
      now: () => 2_000,
      run: async () => {
        throw new DatabaseUnavailable('unreachable')
      },
    })
    await work.runDue()
    expect(await queue.nextFree()).toBe(7_000)
    expect(work.said).toEqual(['The database was away from a job; it is tried again in 5 s.'])
  })
})
