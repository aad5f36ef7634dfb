import type { Logger } from 'pino'
import { type Instant, type Milliseconds, minutes, seconds } from '../../shared/time.ts'
import type { Metrics } from '../metrics.ts'
import { hostLimiter } from './host-limiter.ts'
import type { Job, Jobs, Verdict } from './jobs.ts'
import { resultBatcher } from './result-batcher.ts'
import { timerQueue } from './timer-queue.ts'

/** How one claimed job is done. `target` names the host and port it calls. */
export type Task<Result> = { target: string; run: () => Promise<Result> }
export type Settled = { verdict: Verdict }

export type Worker = {
  start(): Promise<void>
  /** Claims nothing more, finishes what is in flight for up to 30 s and gives the rest back. */
  stop(): Promise<void>
  /** Does everything that is due at this moment, and settles it. */
  runDue(): Promise<number>
}

/** Enough that thousands of apps that hang until their timeout do not hold up those that answer. */
const capacity = 2_000
const largestClaim = 500
const lease = minutes(1)
/** Jobs are taken a little before they are due and started on time: one claim, and so one fsync, serves many. */
const ahead: Milliseconds = 500
const earliness: Milliseconds = 50
const longestSleep = seconds(5)
const graceful = seconds(30)
/** Work that is later than this is caught up at a steady pace beside what is on time. */
const late = seconds(10)
const catchUpPerSecond = 50

export function worker<Result extends Settled>(the: {
  jobs: Jobs
  now: () => Instant
  log: Logger
  metrics: Pick<Metrics, 'jobsClaimed' | 'latenessSeconds'>
  /** How to do each of these jobs, or its verdict when nothing is to be done. */
  prepare: (jobs: readonly Job[]) => Promise<Map<string, Task<Result> | Verdict>>
  /** Writes results and verdicts in one transaction. */
  settle: (results: readonly (Result | Settled)[]) => Promise<void>
}): Worker {
  const { jobs, now, log } = the
  /** What was claimed and is not settled yet, with its lane. */
  const leased = new Map<string, string | null>()
  const starts = timerQueue(now)
  const inFlight = new Set<Promise<void>>()
  const hosts = hostLimiter(now)
  const settled = resultBatcher(the.settle, log, ({ verdict: { id } }) => {
    // The next of its lane may be free now.
    if (leased.get(id)) jobs.wake()
    leased.delete(id)
  })
  let stopping = false
  let budget = catchUpPerSecond
  let budgetAt = 0
  let woken = () => {}
  let nudged = false
  let beat: NodeJS.Timeout | undefined
  let loop: Promise<void> | undefined

  const giveBack = (job: Job, dueAt: Instant) =>
    settled.add({ verdict: { id: job.id, turnAt: job.turnAt, dueAt, attempt: job.attempt } })

  const begin = (job: Job, task: Task<Result>) => {
    the.metrics.latenessSeconds.observe({ kind: job.kind }, Math.max(0, now() - job.dueAt) / 1_000)
    if (stopping) return giveBack(job, job.dueAt)
    const comeBack = hosts.add(task.target, () => {
      // A queued task may get its slot only after the stop began.
      if (stopping) {
        giveBack(job, job.dueAt)
        return Promise.resolve()
      }
      const done = task
        .run()
        .then(settled.add)
        .catch((error: unknown) => {
          log.error({ err: error, job: job.id }, 'A job broke; it is tried again in a minute.')
          giveBack(job, now() + minutes(1))
        })
        .finally(() => inFlight.delete(done))
      inFlight.add(done)
      return done
    })
    if (comeBack !== undefined) giveBack(job, comeBack)
  }

  /** Claims up to what is free and sets each job going at its time; answers how many it took. */
  const take = async (horizon: Milliseconds): Promise<number> => {
    const free = Math.min(capacity - leased.size, largestClaim)
    if (free <= 0 || stopping) return 0
    const at = now()
    budget = Math.min(catchUpPerSecond, budget + ((at - budgetAt) / 1_000) * catchUpPerSecond)
    budgetAt = at
    const onTime = await jobs.claim(at + horizon, lease, free, at - late)
    const overdue = Math.floor(Math.min(budget, free - onTime.length))
    const behind = overdue > 0 ? await jobs.claim(at, lease, overdue) : []
    budget -= behind.length
    // A job we still hold was only claimed again because its lease ran out meanwhile.
    const fresh = [...behind, ...onTime].filter((job) => !leased.has(job.id))
    for (const job of fresh) {
      leased.set(job.id, job.lane)
      the.metrics.jobsClaimed.inc({ kind: job.kind })
    }
    const tasks = await the.prepare(fresh)
    for (const job of fresh) {
      const task = tasks.get(job.id)
      if (!task) giveBack(job, at + minutes(1))
      else if (!('run' in task)) settled.add({ verdict: task })
      else starts.at(job.dueAt, () => begin(job, task))
    }
    return fresh.length
  }

  const sleep = (ms: Milliseconds) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, nudged ? 0 : ms)
      nudged = false
      woken = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const pause = async (): Promise<Milliseconds> => {
    const next = (await jobs.nextFree()) ?? Number.POSITIVE_INFINITY
    return Math.min(longestSleep, Math.max(earliness, next - now() - earliness))
  }

  const keepTaking = async () => {
    while (!stopping) {
      try {
        await take(ahead)
        await sleep(stopping ? 0 : await pause())
      } catch (error) {
        log.error({ err: error }, 'Due work could not be read; next try in 5 s.')
        await sleep(longestSleep)
      }
    }
  }

  const drained = async () => {
    while (inFlight.size > 0) await Promise.allSettled(inFlight)
    await settled.flush()
  }

  return {
    async start() {
      jobs.onWake(() => {
        nudged = true
        woken()
      })
      beat = setInterval(() => {
        if (leased.size > 0)
          jobs
            .extend([...leased.keys()], now() + lease)
            .catch((error: unknown) => log.error({ err: error }, 'Leases could not be extended.'))
      }, lease / 3)
      loop = keepTaking()
    },
    async stop() {
      stopping = true
      woken()
      await loop
      starts.clear()
      await Promise.race([drained(), new Promise((resolve) => setTimeout(resolve, graceful).unref())])
      clearInterval(beat)
      await jobs.release(now())
      await settled.flush()
    },
    async runDue() {
      let all = 0
      for (;;) {
        const taken = await take(0)
        await drained()
        if (taken === 0) return all
        all += taken
      }
    },
  }
}
