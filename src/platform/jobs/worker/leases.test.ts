import { pino } from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import { bothDialects } from '../../../../test/support/database/databases.ts'
import { emptyQueue } from '../../../../test/support/scenes/queue-scene.ts'
import { minutes, seconds } from '../../../shared/time.ts'
import type { Job } from '../job.ts'
import type { Jobs } from '../jobs.ts'
import { lease, leases } from './leases.ts'

const begun = seconds(100)

describe.each(bothDialects)('leases on %s', async (dialect) => {
  const database = await emptyQueue(dialect)
  let queue: Jobs
  let otherQueue: Jobs
  let at: number
  let logged: unknown[]
  let job: Job

  beforeEach(async () => {
    queue = database.instance(() => at)
    otherQueue = database.instance(() => at)
    at = begun
    logged = []
    await queue.plan({ id: 'j', kind: 'turn', entryId: 'e', dueAt: begun })
  })

  async function claimed(extend = queue.extend) {
    const log = pino({ level: 'error' }, { write: (line: string) => logged.push(JSON.parse(line).msg) })
    const mine = leases({ jobs: { extend }, now: () => at, elapsed: () => at, log })
    job = (await queue.claim(at, lease, 5))[0]!
    mine.add(job, at)
    return mine
  }
  const takenOver = async () => (await otherQueue.claim(at, lease, 5)).length === 1

  test('work in progress keeps its lease, however long it takes', async () => {
    const mine = await claimed()
    mine.stopWaiting(job)
    for (let i = 0; i < 12; i++) {
      at += seconds(10)
      await mine.renew()
    }
    expect(await takenOver()).toBe(false)
    expect(mine.holdsLease(job)).toBe(true)
  })

  test.each([
    ['a result that cannot be written', true],
    ['a claimed job that never starts', false],
  ])('%s loses its lease, and another instance takes over within a minute', async (_what, ran) => {
    const mine = await claimed()
    if (ran) mine.stopWaiting(job)
    if (ran) mine.startWaiting(job, { id: 'j', turnAt: at, dueAt: at, attempt: 0 })
    let tookOver = false
    // The other instance polls every 5 s, this one renews every 10 s.
    for (let look = 1; look <= 12 && !tookOver; look++) {
      at += seconds(5)
      if (look % 2 === 0) await mine.renew()
      tookOver = await takenOver()
    }
    expect(tookOver).toBe(true)
    expect(at - begun).toBeLessThanOrEqual(minutes(1))
    expect(mine.holdsLease(job)).toBe(false)
    expect(mine.isStuck()).toBe(true)
  })

  test('a lease that expired while the process was suspended is lost, and a renewal does not regain it', async () => {
    const mine = await claimed()
    mine.stopWaiting(job)
    at += minutes(2)
    expect(mine.holdsLease(job)).toBe(false)
    await otherQueue.claim(at, lease, 5)
    await mine.renew()
    expect(mine.holdsLease(job)).toBe(false)
    expect([...(await otherQueue.finish([{ id: 'j', turnAt: at, dueAt: at, attempt: 0 }]))]).toEqual(['j'])
  })

  test('failing renewals are logged once and retried', async () => {
    let failing = true
    const mine = await claimed((held, until) =>
      failing ? Promise.reject(new Error('away')) : queue.extend(held, until),
    )
    mine.stopWaiting(job)
    for (let i = 0; i < 3; i++) {
      at += seconds(10)
      await mine.renew()
    }
    expect(logged).toEqual(['Failed to renew leases; retrying in 10 s'])
    failing = false
    at += seconds(5)
    await mine.renew()
    at += seconds(30)
    expect(await takenOver()).toBe(false)
  })
})
