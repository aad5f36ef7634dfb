import { beforeEach, describe, expect, test } from 'vitest'
import { bothDialects } from '../../../test/support/database/databases.ts'
import { emptyQueue } from '../../../test/support/scenes/queue-scene.ts'
import { minutes } from '../../shared/time.ts'
import type { Jobs } from './jobs.ts'

const lease = minutes(1)

describe.each(bothDialects)('lanes on %s', async (dialect) => {
  const database = await emptyQueue(dialect)
  let queue: Jobs
  let otherQueue: Jobs

  beforeEach(() => {
    queue = database.instance(() => 0)
    otherQueue = database.instance(() => 0)
  })
  const plan = (id: string, dueAt: number, lane = 'lane') => queue.plan({ id, kind: 'turn', entryId: 'e', dueAt, lane })
  const ids = (list: { id: string }[]) => list.map((job) => job.id)

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
