import { pino } from 'pino'
import { beforeEach, vi } from 'vitest'
import { createHealth } from '../../../src/platform/health.ts'
import type { Job } from '../../../src/platform/jobs/job.ts'
import type { Jobs } from '../../../src/platform/jobs/jobs.ts'
import { shiftJobs } from '../../../src/platform/jobs/worker/steady-clock.ts'
import { type Finished, worker } from '../../../src/platform/jobs/worker/worker.ts'
import { createMetrics } from '../../../src/platform/metrics.ts'
import { hours, minutes, seconds } from '../../../src/shared/time.ts'
import type { Dialect } from '../database/databases.ts'
import { emptyQueue } from './queue-scene.ts'

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
/** Stretches timers of 5 s and more to an hour, so that a sleeping worker isn't woken by its own maximum. */
export function stretchLongTimers() {
  const { setTimeout } = globalThis
  const stretched = (act: () => void, ms = 0) => setTimeout(act, ms < seconds(5) ? ms : hours(1))
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(stretched as typeof setTimeout)
}
export const never = () => new Promise<never>(() => {})
export const rescheduleJob = (job: Job): Finished => ({
  verdict: { id: job.id, turnAt: job.turnAt + hours(1), dueAt: job.turnAt + hours(1), attempt: 0 },
})
export const recordRun = (done: string[], job: Job): Finished => {
  done.push(job.id)
  return rescheduleJob(job)
}

/** A worker on an empty queue. Each test gets a separate instance, so that none finishes another test's jobs. */
export async function workerScene(dialect: Dialect) {
  const database = await emptyQueue(dialect)
  let queue: Jobs
  beforeEach(() => {
    queue = database.instance()
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
    /** By default, a job is recorded in `done` and runs again after an hour. */
    run?: (job: Job) => Promise<Finished>
    prepare?: () => Promise<never>
    record?: (results: readonly Finished[]) => Promise<void>
    timeouts?: { inFlight: number; database: number }
  }) {
    const messages: unknown[] = []
    const done: string[] = []
    const run = options.run ?? (async (job: Job) => recordRun(done, job))
    let at = 0
    const health = createHealth(() => at)
    return {
      messages,
      done,
      standstillAfter: (ms: number) => {
        at += ms
        return health.stalledActivity()
      },
      ...worker<Finished>({
        jobs: { ...queue, ...options.jobs },
        now: options.now ?? Date.now,
        elapsed: options.elapsed ?? options.now ?? (() => performance.now()),
        health,
        log: pino({ level: 'warn' }, { write: (line: string) => messages.push(JSON.parse(line).msg) }),
        metrics: createMetrics(),
        prepare:
          options.prepare ??
          (async (list) =>
            new Map(
              list.map((job) => [
                job.id,
                { target: options.target?.(job) ?? job.id, ownerId: 'owner', run: () => run(job) },
              ]),
            )),
        record:
          options.record ??
          (async (results) => {
            await queue.finish(results.map((result) => result.verdict))
          }),
        shift: async (step) => void (await shiftJobs(database.db, database.db.q, step, options.now?.() ?? Date.now())),
        plannedAhead: async () => undefined,
        timeouts: options.timeouts ?? { inFlight: minutes(1), database: minutes(1) },
      }),
    }
  }

  return {
    db: database.db,
    get queue() {
      return queue
    },
    another: database.instance,
    plan,
    leased,
    dueTimes,
    start,
  }
}
