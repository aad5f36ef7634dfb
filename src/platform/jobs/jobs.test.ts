import { beforeEach, describe, expect, test } from 'vitest'
import { bothDialects, waitForLock } from '../../../test/support/database/databases.ts'
import { emptyQueue } from '../../../test/support/scenes/queue-scene.ts'
import { minutes, seconds } from '../../shared/time.ts'
import { type Jobs, jobs } from './jobs.ts'

const lease = minutes(1)

describe.each(bothDialects)('jobs on %s', async (dialect) => {
  const database = await emptyQueue(dialect)
  let queue: Jobs
  let otherQueue: Jobs
  let at: number

  beforeEach(async () => {
    at = 0
    queue = database.instance(() => at)
    otherQueue = database.instance(() => at)
  })
  const plan = (id: string, dueAt: number) => queue.plan({ id, kind: 'turn', entryId: 'e', dueAt })
  const ids = (list: { id: string }[]) => list.map((job) => job.id)

  test('claims due jobs oldest first and up to the limit, and leaves those that are not due', async () => {
    for (let i = 9; i >= 0; i--) await plan(`j${i}`, i + 1)
    await plan('later', 101)
    expect(ids(await queue.claim(100, lease, 3))).toEqual(['j0', 'j1', 'j2'])
    expect(ids(await queue.claim(100, lease, 10))).toEqual(['j3', 'j4', 'j5', 'j6', 'j7', 'j8', 'j9'])
  })

  test('a leased job cannot be claimed by another instance until its lease expires', async () => {
    await plan('j', 10)
    expect(ids(await queue.claim(10, lease, 5))).toEqual(['j'])
    expect(await otherQueue.claim(10 + lease - 1, lease, 5)).toEqual([])
    expect(ids(await otherQueue.claim(10 + lease, lease, 5))).toEqual(['j'])
  })

  test('a job that another instance is claiming is skipped', async () => {
    await plan('j', 10)
    let claiming: ReturnType<Jobs['claim']> | undefined
    await database.db.q.transaction().execute(async (q) => {
      expect(ids(await jobs({ ...database.db, q }, 'other', () => at).claim(10, lease, 5))).toEqual(['j'])
      claiming = queue.claim(10, lease, 5)
      if (dialect === 'postgres') await waitForLock(database.db.q, claiming)
    })
    expect(await claiming).toEqual([])
  })

  test('a next turn planned during the current one waits for its end, however often that is postponed', async () => {
    await plan('j', 10)
    const finishAt = async (turnAt: number, dueAt: number) => {
      const [leased] = await queue.claim(at, lease, 5)
      await queue.planNext('j', 500)
      await queue.finish([{ id: 'j', turnAt, dueAt, attempt: 1, claim: leased!.claim }])
      return queue.nextFree()
    }
    at = 10
    expect(await finishAt(10, 20)).toBe(20)
    at = 20
    expect(await finishAt(70, 70)).toBe(500)
    at = 500
    const [next] = await queue.claim(at, lease, 5)
    expect(next).toMatchObject({ turnAt: 500, dueAt: 500 })
    await queue.finish([{ id: 'j', turnAt: 560, dueAt: 560, attempt: 0, claim: next!.claim }])
    expect(await queue.nextFree()).toBe(560)
  })

  test('ignores a planned turn that is earlier than the current one', async () => {
    await plan('j', 100)
    const [leased] = await queue.claim(100, lease, 5)
    await queue.planNext('j', 60)
    await queue.finish([{ id: 'j', turnAt: 160, dueAt: 160, attempt: 0, claim: leased!.claim }])
    expect(await queue.nextFree()).toBe(160)
  })

  test('a renewal by an outdated clock does not shorten a lease', async () => {
    await plan('j', 10)
    expect(await queue.extend(await queue.claim(10, lease, 5), 10)).toEqual(new Set(['j']))
    expect(await otherQueue.claim(10 + lease - 1, lease, 5)).toEqual([])
  })

  test('resume makes postponed jobs due again in the order of their turns, except leased ones', async () => {
    for (const [id, turnAt] of [
      ['b', 20],
      ['a', 10],
      ['taken', 30],
    ] as const)
      await queue.plan({ id, kind: 'turn', entryId: 'e', turnAt, dueAt: turnAt + 1_000 })
    await queue.plan({ id: 'other', kind: 'turn', entryId: 'e', turnAt: 5, dueAt: 1_005 })
    expect(ids(await otherQueue.claim(1_030, lease, 1, 1_029))).toEqual(['taken'])
    let woken = 0
    queue.onWake(() => woken++)
    await queue.resume(['a', 'b', 'taken', 'gone'])
    expect(woken).toBe(1)
    expect(ids(await queue.claim(100, lease, 10))).toEqual(['a', 'b'])
    expect(await otherQueue.finish([{ id: 'taken', turnAt: null, dueAt: 0, attempt: 0 }])).toEqual(new Set(['taken']))
  })

  test('an instance cannot finish a job that another one has taken over', async () => {
    await plan('j', 10)
    await queue.claim(10, lease, 5)
    await otherQueue.claim(10 + lease, lease, 5)
    const late = await queue.finish([{ id: 'j', turnAt: null, dueAt: 0, attempt: 0 }])
    expect([...late]).toEqual([])
    expect([...(await otherQueue.finish([{ id: 'j', turnAt: 500, dueAt: 500, attempt: 0 }]))]).toEqual(['j'])
    expect(await queue.nextFree()).toBe(500)
  })

  test('instance names are compared in full and not as patterns', async () => {
    const instance = (name: string) => jobs(database.db, name, () => at)
    await plan('j', 10)
    await instance('one').claim(10, lease, 5)
    expect([...(await instance('%').finish([{ id: 'j', turnAt: null, dueAt: 0, attempt: 0 }]))]).toEqual([])
    expect([...(await instance('one').finish([{ id: 'j', turnAt: null, dueAt: 0, attempt: 0 }]))]).toEqual(['j'])
  })

  test('planning a leased job again ends its lease', async () => {
    await plan('j', 10)
    await queue.claim(10, lease, 5)
    await plan('j', 40)
    expect([...(await queue.finish([{ id: 'j', turnAt: 900, dueAt: 900, attempt: 0 }]))]).toEqual([])
    expect(await queue.nextFree()).toBe(40)
  })

  test('a verdict on an earlier claim does not affect a later claim of the same instance', async () => {
    await plan('j', 10)
    const [first] = await queue.claim(100, lease, 1)
    await plan('j', 20)
    const [second] = await queue.claim(100, lease, 1)
    const end = (job = first) => queue.finish([{ id: 'j', turnAt: null, dueAt: 0, attempt: 0, claim: job!.claim }])
    const move = (job = first) => queue.finish([{ id: 'j', turnAt: 90, dueAt: 90, attempt: 0, claim: job!.claim }])
    expect([...(await end()), ...(await move())]).toEqual([])
    expect([await queue.isLeased(first!), await queue.isLeased(second!)]).toEqual([false, true])
    expect([...(await move(second))]).toEqual(['j'])
  })

  test('an instance that claims its job again after the lease expired keeps the claim number', async () => {
    await plan('j', 10)
    const [first] = await queue.claim(100, lease, 1)
    const [reclaimed] = await queue.claim(101 + lease, lease, 1)
    expect(reclaimed!.claim).toBe(first!.claim)
  })

  test('adding a job that exists changes nothing, even while it is leased', async () => {
    await plan('j', 10)
    await queue.claim(10, lease, 5)
    await queue.add({ id: 'j', kind: 'now', entryId: 'e', dueAt: 11 })
    expect(await otherQueue.claim(12, lease, 5)).toEqual([])
  })

  test('times are rounded up to whole milliseconds', async () => {
    await queue.plan({ id: 'a', kind: 'turn', entryId: 'e', dueAt: 1_000.2 })
    expect(await queue.nextFree()).toBe(1_001)
    const [job] = await queue.claim(2_000, 100, 1)
    expect(job).toMatchObject({ turnAt: 1_001, dueAt: 1_001 })
    await queue.finish([{ id: 'a', turnAt: 2_000.1, dueAt: 3_000.7, attempt: 0 }])
    expect(await queue.claim(4_000, 100, 1)).toMatchObject([{ turnAt: 2_001, dueAt: 3_001 }])
  })

  test('another attempt keeps the turn', async () => {
    await plan('j', 10)
    await queue.claim(10, lease, 5)
    await queue.finish([{ id: 'j', turnAt: 10, dueAt: seconds(10), attempt: 1 }])
    expect(await queue.claim(seconds(10), lease, 5)).toMatchObject([{ turnAt: 10, dueAt: seconds(10), attempt: 1 }])
  })

  test('simultaneous claims never take a job twice', async () => {
    for (let i = 0; i < 200; i++) await plan(`j${i}`, i + 1)
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => database.instance(() => at).claim(1_000, lease, 40)),
    )
    const all = claims.flatMap(ids)
    expect(new Set(all).size).toBe(all.length)
    expect(all.length).toBeGreaterThanOrEqual(40)
  })

  test('releaseAll frees the jobs that a killed instance had leased', async () => {
    await plan('j', 10)
    await otherQueue.claim(10, lease, 5)
    await queue.releaseAll(11)
    expect(ids(await queue.claim(11, lease, 5))).toEqual(['j'])
  })

  describe('in a lane', () => {
    const plan = (id: string, dueAt: number, lane = 'lane') =>
      queue.plan({ id, kind: 'turn', entryId: 'e', dueAt, lane })

    test('only the oldest job of a lane can be claimed, even while it waits for another attempt', async () => {
      await plan('a', 10)
      await plan('b', 20)
      await plan('c', 20, 'other')
      expect(ids(await queue.claim(100, lease, 5)).sort()).toEqual(['a', 'c'])
      expect(await otherQueue.claim(100, lease, 5)).toEqual([])
      await queue.finish([{ id: 'a', turnAt: 10, dueAt: 900, attempt: 1 }])
      expect(await otherQueue.claim(100, lease, 5)).toEqual([])
      expect(ids(await otherQueue.claim(900, lease, 5))).toEqual(['a'])
      await otherQueue.finish([{ id: 'a', turnAt: null, dueAt: 0, attempt: 0 }])
      expect(ids(await queue.claim(900, lease, 5))).toEqual(['b'])
    })

    test('hurry makes the postponed jobs of a lane due, but not later turns or leased jobs', async () => {
      await queue.plan({ id: 'a', kind: 'k', entryId: null, lane: 'lane', dueAt: 10 })
      await plan('b', 500)
      await plan('c', 10, 'other')
      await queue.claim(100, lease, 5)
      await queue.finish([{ id: 'a', turnAt: 10, dueAt: 900, attempt: 3 }])
      for (const lane of ['lane', 'other']) await queue.hurry(lane, 100)
      const [a, ...rest] = await otherQueue.claim(100, lease, 5)
      expect(a).toMatchObject({ id: 'a', entryId: null, turnAt: 10, dueAt: 100, attempt: 0 })
      expect(rest).toEqual([])
    })

    test('an older job that is added late waits for the one in flight, or until that lease expires', async () => {
      await plan('b', 20)
      await queue.claim(100, lease, 5)
      await plan('a', 10)
      expect(await otherQueue.claim(100, lease, 5)).toEqual([])
      expect(ids(await otherQueue.claim(100 + lease, lease, 5))).toEqual(['a'])
      await otherQueue.finish([{ id: 'a', turnAt: null, dueAt: 0, attempt: 0 }])
      expect(ids(await otherQueue.claim(101 + lease, lease, 5))).toEqual(['b'])
    })

    test('nextFree ignores jobs that wait behind another of their lane', async () => {
      await plan('a', 10)
      await plan('b', 20)
      expect(await queue.nextFree()).toBe(10)
      await queue.claim(100, lease, 5)
      expect(await queue.nextFree()).toBe(100 + lease)
      await queue.finish([{ id: 'a', turnAt: 10, dueAt: 900, attempt: 1 }])
      expect(await queue.nextFree()).toBe(900)
      await plan('0', 5)
      await queue.claim(100, lease, 5)
      await plan('00', 4)
      expect(await queue.nextFree()).toBe(100 + lease)
    })

    test('jobs of a lane that are due at the same time run in the order of their turns', async () => {
      await queue.add([
        { id: 'a', kind: 'now', entryId: 'e', dueAt: 50, turnAt: 20, lane: 'lane' },
        { id: 'b', kind: 'now', entryId: 'e', dueAt: 50, turnAt: 10, lane: 'lane' },
      ])
      expect(await queue.claim(50, lease, 5)).toMatchObject([{ id: 'b', turnAt: 10, dueAt: 50 }])
    })
  })
})
