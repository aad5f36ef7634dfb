import { withTimeout } from '../../../shared/async.ts'
import { type Instant, type Milliseconds, minutes, seconds } from '../../../shared/time.ts'
import { DatabaseUnavailable } from '../../db/unavailable.ts'
import type { Health } from '../../health.ts'
import type { Metrics } from '../../metrics.ts'
import type { Job, Verdict } from '../job.ts'
import type { Jobs } from '../jobs.ts'
import { claimer, leases } from './leases.ts'
import { resultBatcher } from './result-batcher.ts'
import { type ClockOptions, clockFollower, steadyClock } from './steady-clock.ts'
import { alarm, hostLimiter, timerQueue } from './timer-queue.ts'

export type Running = {
  /** False once the lease has ended: another instance may be running the job. */
  holdsLease: () => boolean
  /** The clock that due times follow, even while the wall clock is being set. */
  now: () => Instant
  /** Since when the job has been ready to start, and whether it was postponed for lack of a slot. */
  waitingSince: Instant
  hasWaited: boolean
}
/** How to run a claimed job. At most two tasks with the same `target` run at the same time; owners share the worker. */
export type Task<Result> = { target: string; ownerId: string; run: (running: Running) => Promise<Result> }
export type Finished = { verdict: Verdict }
/** Whether the job waited for its host during this claim, and during earlier ones. */
type Waited = { waited: boolean; hasWaited: boolean }

/** High enough that thousands of apps hanging until their timeout don't delay those that respond. */
const capacity = 2_000
const largestClaim = 500
/** Jobs are claimed shortly before they are due and start on time, so many share one claim and one fsync. */
const ahead: Milliseconds = 500
const earliness: Milliseconds = 50
const longestSleep = seconds(5)
const databaseAway = 'A job could not reach the database; retrying it in 5 s'
const broken = 'A job failed unexpectedly; retrying it in a minute'
/** A stop waits for the database twice: for the results, and for the leases. */
const stopTimeouts = { inFlight: seconds(15), database: seconds(1.75) }

type Options<Result> = ClockOptions & {
  jobs: Jobs
  health: Pick<Health, 'watch'>
  metrics: Pick<Metrics, 'jobsClaimed' | 'jobsInFlight' | 'latenessSeconds' | 'turnsWaited'>
  /** Returns how to run each of these jobs, or its verdict if there is nothing to do. */
  prepare: (jobs: readonly Job[]) => Promise<Map<string, Task<Result> | Verdict>>
  record: (results: readonly (Result | Finished)[]) => Promise<void>
  timeouts?: typeof stopTimeouts
}

/**
 * Runs all due work. One statement claims and leases as many jobs as there is room for. Leases are renewed while their
 * work makes progress, not once a result can't be written. Results are written only under the lease of their claim.
 */
export function worker<Result extends Finished>(options: Options<Result>) {
  const { jobs, elapsed, log, timeouts = stopTimeouts } = options
  const clock = steadyClock(options)
  const { now } = clock
  const claiming = options.health.watch('worker')
  const leased = leases({ jobs, now, elapsed, log })
  const claim = claimer({ ...options, now, leased })
  const starts = timerQueue(elapsed)
  const inFlight = new Set<Promise<void>>()
  const hosts = hostLimiter(elapsed, capacity)
  const wakeUp = alarm(elapsed)
  const follow = clockFollower({ ...options, clock, onShifted: (by) => leased.shift(by) })
  const results = resultBatcher<{ job: Job; result: Result | Finished }>({
    beforeWrite: follow.step,
    write: (batch) => options.record(batch.map(({ result }) => result)),
    postpone: ({ job }) => ({ job, result: postponedVerdict(job, now() + minutes(1)) }),
    log,
    watch: options.health.watch('worker'),
    onWritten({ job, result }) {
      const { turnAt, dueAt } = result.verdict
      // The next job of its lane may be free now.
      if (job.lane) jobs.wake()
      leased.drop(job)
      if (turnAt !== null) wakeUp.wakeBy(elapsed() + dueAt - now() - earliness)
    },
  })
  let stopping = false
  let loop: Promise<void> | undefined

  const finish = (job: Job, result: Result | Finished) => {
    // The job was planned again and claimed again, so this result belongs to the old plan.
    if (!leased.has(job)) return
    result.verdict.claim = job.claim
    leased.startWaiting(job, result.verdict)
    results.add({ job, result })
  }
  const postponeJob = (job: Job, dueAt: Instant) => finish(job, postponedVerdict(job, dueAt))

  const perform = async (job: Job, task: Task<Result>, { waited, hasWaited }: Waited) => {
    const holdsLease = () => leased.holdsLease(job)
    // Its entry may have changed while the job waited for its host. Without a database, the lease suffices.
    const isLeased = !waited || !holdsLease() || (await jobs.isLeased(job).catch(() => true))
    const waitingSince = job.waitingSince ?? now()
    job.waitingSince = null
    // The job waited too long, perhaps in a suspended process, and another instance may have taken it over.
    if (!isLeased || !holdsLease()) return leased.drop(job)
    if (stopping) return postponeJob(job, job.dueAt)
    options.metrics.latenessSeconds.observe({ kind: job.kind }, Math.max(0, now() - job.dueAt) / 1_000)
    options.metrics.jobsInFlight.inc({ kind: job.kind })
    try {
      const result = await task.run({ holdsLease, now, waitingSince, hasWaited })
      if (result.verdict.waitingSince && !hasWaited) options.metrics.turnsWaited.inc({ kind: job.kind })
      finish(job, result)
    } catch (error) {
      const isAway = error instanceof DatabaseUnavailable
      log.error({ err: error, job: job.id }, isAway ? databaseAway : broken)
      postponeJob(job, now() + (isAway ? longestSleep : minutes(1)))
    } finally {
      options.metrics.jobsInFlight.dec({ kind: job.kind })
    }
  }
  const start = (job: Job, task: Task<Result>, waitState: Waited) => {
    const done = perform(job, task, waitState).finally(() => inFlight.delete(done))
    inFlight.add(done)
    return done
  }

  const schedule = (job: Job, task: Task<Result>) => {
    leased.stopWaiting(job)
    let waited = false
    const hasWaited = job.waitingSince !== null
    const turn = {
      ownerId: task.ownerId,
      turnAt: job.turnAt,
      start: () => start(job, task, { waited, hasWaited }),
      refuse: (after: Milliseconds) => postponeJob(job, now() + after),
    }
    starts.at(elapsed() + job.dueAt - now(), () => {
      if (!leased.has(job)) return
      job.waitingSince ??= now()
      hosts.add(task.target, turn)
      waited = true
      // If the host is free, `add` has started the job already, which cleared `waitingSince`.
      if (job.waitingSince !== null && !hasWaited) options.metrics.turnsWaited.inc({ kind: job.kind })
    })
  }

  /** Claims as many jobs as there is capacity for and starts each at its due time. Returns their number. */
  const claimJobs = async (horizon: Milliseconds): Promise<number> => {
    const free = Math.min(capacity - leased.size(), largestClaim)
    // Work whose result can't be written would be wasted, and repeated by another instance.
    if (free <= 0 || stopping || leased.isStuck()) return 0
    if (await clock.step()) await results.betweenWrites(follow.step)
    await follow.shiftBack()
    const fresh = await claim(horizon, free)
    const tasks = await options.prepare(fresh).catch((error: unknown) => {
      for (const job of fresh) postponeJob(job, now() + longestSleep)
      throw error
    })
    for (const job of fresh) {
      const task = tasks.get(job.id)
      if (!task) postponeJob(job, now() + minutes(1))
      else if ('run' in task) schedule(job, task)
      else finish(job, { verdict: task })
    }
    return fresh.length
  }

  const pause = async (): Promise<Milliseconds> => {
    const next = (await jobs.nextFree()) ?? Number.POSITIVE_INFINITY
    return Math.min(longestSleep, Math.max(earliness, next - now() - earliness))
  }

  const keepClaiming = async () => {
    while (!stopping) {
      try {
        wakeUp.reset()
        claiming.begin()
        await claimJobs(ahead)
        const ms = await pause()
        claiming.progress()
        if (!stopping) await wakeUp.sleep(ms)
      } catch (error) {
        log.error({ err: error }, 'Failed to read due jobs; retrying in 5 s')
        if (!stopping) await wakeUp.sleep(longestSleep)
      }
    }
  }

  const drained = async () => {
    while (inFlight.size > 0) await Promise.allSettled(inFlight)
    await results.flush()
  }
  const releaseRest = async () => {
    try {
      // Write results first: once their jobs are released, they no longer count.
      await withTimeout(timeouts.database, results.flush())
    } finally {
      await withTimeout(timeouts.database, jobs.release(now()))
    }
  }

  return {
    async start(): Promise<void> {
      jobs.onWake(() => wakeUp.wakeBy(Number.NEGATIVE_INFINITY))
      leased.start()
      loop = keepClaiming()
    },
    /** Claims nothing more, waits up to 15 s for work in flight and releases the rest. Ends within 20 s in any case. */
    async stop(): Promise<void> {
      stopping = true
      wakeUp.wakeBy(Number.NEGATIVE_INFINITY)
      starts.clear()
      try {
        await withTimeout(timeouts.inFlight, (loop ?? Promise.resolve()).then(drained))
        if (inFlight.size > 0) log.warn({ jobs: inFlight.size }, 'Abandoned jobs in progress; they will run again')
      } finally {
        starts.clear()
        leased.stop()
        await releaseRest()
      }
    },
    /** Runs everything that is due now and writes the results. Returns the number of jobs. */
    async runDue(): Promise<number> {
      let all = 0
      for (;;) {
        const claimCount = await claimJobs(0)
        await drained()
        if (claimCount === 0) return all
        all += claimCount
      }
    },
  }
}
export type Worker = ReturnType<typeof worker>

/** A verdict that moves the same turn to another time. */
const postponedVerdict = ({ id, turnAt, attempt, waitingSince, claim }: Job, dueAt: Instant): Finished => ({
  verdict: { id, turnAt, dueAt, attempt, waitingSince, claim },
})
