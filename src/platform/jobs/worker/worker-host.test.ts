import { describe, expect, test } from 'vitest'
import { bothDialects } from '../../../../test/support/database/databases.ts'
import { pause, rescheduleJob, workerScene } from '../../../../test/support/scenes/worker-scene.ts'
import { hours, minutes } from '../../../shared/time.ts'

describe.each(bothDialects)('a crowded host of the worker on %s', async (dialect) => {
  const scene = await workerScene(dialect)
  const { leased, plan, start } = scene

  /** Starts jobs of one host: two run until they are ended, the others wait. */
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
        return rescheduleJob(job)
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

  test('jobs that a crowded target refuses run later, and none is lost', async () => {
    let now = 3_000
    for (let i = 0; i < 40; i++) await plan(`j${i}`, 1_000 + i)
    const work = start({ now: () => now, target: () => 'one' })
    await work.runDue()
    expect(work.done.length).toBeLessThan(40)
    now += minutes(1)
    await work.runDue()
    expect(new Set(work.done).size).toBe(40)
  })

  test('jobs that wait for their host start in the order of their turns, whenever they were due', async () => {
    const began: string[] = []
    const starts = [20, 30, 25, 10]
    for (const at of starts)
      await scene.queue.plan({ id: `j${at}`, kind: 'turn', entryId: 'e', dueAt: 1_000, turnAt: at })
    const finish: (() => void)[] = []
    const work = start({
      now: () => 1_000,
      target: () => 'one',
      run: async (job) => {
        began.push(job.id)
        await new Promise<void>((resolve) => finish.push(resolve))
        return rescheduleJob(job)
      },
    })
    const all = work.runDue()
    await expect.poll(() => began, { interval: 2 }).toHaveLength(2)
    const waiting = ['j10', 'j20', 'j25', 'j30'].filter((id) => !began.includes(id))
    for (const count of [3, 4]) {
      // Free one slot, so that only the next job starts.
      finish.shift()?.()
      await expect.poll(() => began, { interval: 2 }).toHaveLength(count)
    }
    for (const end of finish) end()
    await all
    expect(began.slice(2)).toEqual(waiting)
  })

  test('a job whose lease expired while it waited for its host does not start', async () => {
    let now = 1_000
    const began: string[] = []
    const { promise: gate, resolve: finish } = Promise.withResolvers<void>()
    for (let i = 0; i < 4; i++) await plan(`j${i}`, 1_000)
    const work = start({
      now: () => now,
      target: () => 'one',
      run: async (job) => {
        began.push(job.id)
        await gate
        return rescheduleJob(job)
      },
    })
    const all = work.runDue()
    await expect.poll(() => began.length, { interval: 2 }).toBe(2)
    now += minutes(1)
    const others = await scene.another().claim(now, minutes(1), 10)
    expect(others).toHaveLength(4)
    finish()
    await all
    expect(began).toHaveLength(2)
    expect(await leased()).toHaveLength(4)
  })

  test('a job planned again while it waits for its host starts immediately on the new host, and only once', async () => {
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
    ['cancelled', async (id: string) => scene.queue.cancel(id)],
    ['planned for later', async (id: string) => plan(id, 9_000)],
    [
      'planned again and claimed by another instance',
      async (id: string) => {
        await plan(id, 1_000)
        await scene.another().claim(1_000, minutes(1), 1)
      },
    ],
  ])('a job that was %s while it waited for its host does not start', async (_what, change) => {
    const { began, waits, endAll } = await crowd(['a', 'b', 'c'])
    await change(waits)
    await endAll()
    expect(began).not.toContain(waits)
  })

  test('the result of a run does not affect a plan that was made during it', async () => {
    const { began, moved, running, look, end, endAll } = await crowd(['a', 'b'])
    const endOld = end.bind(undefined, running)
    const turn = async () =>
      (await scene.db.q.selectFrom('job').select(['turn_at', 'lease_by']).where('id', '=', running).execute())[0]
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
})
