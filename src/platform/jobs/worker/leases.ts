import type { Logger } from 'pino'
import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'
import type { Metrics } from '../../metrics.ts'
import type { Job, Verdict } from '../job.ts'
import type { Jobs } from '../jobs.ts'

/** How long a lease lasts without renewal. Other instances poll every 5 s, so one takes over within a minute. */
export const lease: Milliseconds = seconds(40)
const renewEvery: Milliseconds = seconds(10)
/** A job that has waited this long for the database is stuck here; another instance may do better. */
const stuckAfter: Milliseconds = seconds(10)

/** A leased job: when its lease ends unless renewed, and since when it has waited for the database, both by `elapsed`. */
type Leased = {
  job: Job
  endsAt: Milliseconds
  waitsSince: Milliseconds | undefined
  /** Its verdict while that waits to be written. */
  verdict?: Verdict
}

/** The jobs that this worker has claimed and not finished. Their leases are renewed while the work makes progress. */
export function leases(options: {
  jobs: Pick<Jobs, 'extend'>
  now: () => Instant
  elapsed: () => Milliseconds
  log: Logger
}) {
  const { elapsed } = options
  const leased = new Map<string, Leased>()
  let timer: NodeJS.Timeout | undefined
  let renewing = false
  let failing = false

  type Claimed = Pick<Job, 'id' | 'claim'>
  const find = ({ id, claim }: Claimed) => {
    const one = leased.get(id)
    return one?.job.claim === claim ? one : undefined
  }
  const isStuckJob = ({ waitsSince }: Leased) => waitsSince !== undefined && elapsed() - waitsSince >= stuckAfter

  const renew = async () => {
    const activeLeases = [...leased.values()].filter((one) => !isStuckJob(one))
    if (renewing || activeLeases.length === 0) return
    renewing = true
    const at = elapsed()
    try {
      const ours = await options.jobs.extend(
        activeLeases.map(({ job }) => job),
        options.now() + lease,
      )
      for (const one of activeLeases) one.endsAt = ours.has(one.job.id) ? at + lease : at
      failing = false
    } catch (error) {
      if (!failing) options.log.error({ err: error }, 'Failed to renew leases; retrying in 10 s')
      failing = true
    } finally {
      renewing = false
    }
  }

  return {
    size: () => leased.size,
    claims: () => [...new Set([...leased.values()].map(({ job }) => job.claim))],
    /** Whether this claim is the latest one of its job and not finished. */
    has: (job: Claimed) => find(job) !== undefined,
    /** Adds a job that was claimed at this time and waits to be prepared; replaces an earlier claim of the same job. */
    add(job: Job, claimedAt: Milliseconds) {
      leased.set(job.id, { job, endsAt: claimedAt + lease, waitsSince: claimedAt })
    },
    /** The job no longer waits for the database. */
    stopWaiting(job: Claimed) {
      const one = find(job)
      if (one) one.waitsSince = undefined
    },
    /** The job's verdict waits to be written. */
    startWaiting(job: Claimed, verdict: Verdict) {
      const one = find(job)
      if (one) Object.assign(one, { verdict, waitsSince: elapsed() })
    },
    /** Shifts all times when the clock is set. */
    shift(by: Milliseconds) {
      for (const { job, verdict } of leased.values()) {
        job.turnAt += by
        job.dueAt += by
        if (job.waitingSince !== null) job.waitingSince += by
        if (!verdict) continue
        verdict.dueAt += by
        if (verdict.turnAt !== null) verdict.turnAt += by
        if (verdict.waitingSince) verdict.waitingSince += by
      }
    },
    drop(job: Claimed) {
      if (find(job)) leased.delete(job.id)
    },
    /** Whether the job's lease still lasts. If the process was suspended, another instance may have taken it over. */
    holdsLease(job: Claimed) {
      const one = find(job)
      return one !== undefined && elapsed() < one.endsAt
    },
    isStuck: () => [...leased.values()].some(isStuckJob),
    renew,
    start() {
      timer = setInterval(renew, renewEvery)
    },
    stop() {
      clearInterval(timer)
    },
  }
}
type Leases = ReturnType<typeof leases>

/** Work that is overdue by more than this is caught up at a steady pace, alongside work that is on time. */
const late = seconds(1)
/** The pace aims to finish overdue work in this time, up to `fastest`: work on time needs most of the machine. */
const catchUpWithin = seconds(40)
const slowest = 50
const fastest = 450
const countEvery = seconds(5)
/** The longest pause between two claims that is made up for. */
const longestPause = seconds(0.5)
/** Overdue work on hanging hosts must leave room for work that is on time. */
const mostInFlight = 1_500

/** Claims the jobs that are on time, and as many overdue ones as the pace allows. */
export function claimer(options: {
  jobs: Jobs
  now: () => Instant
  elapsed: () => Milliseconds
  leased: Leases
  metrics: Pick<Metrics, 'jobsClaimed'>
}) {
  const { jobs, now, elapsed, leased, metrics } = options
  let isUnsure = false
  let isBehind = false
  /** How many overdue jobs are claimed per second. */
  let pace = slowest
  let countedAt = Number.NEGATIVE_INFINITY
  let unused = longestPause
  let claimedBefore = elapsed()

  /** Counts the overdue jobs every few seconds. As long as there are any, the pace doesn't slow down. */
  async function setPace(at: Instant) {
    if (!isBehind) pace = slowest
    else if (elapsed() - countedAt >= countEvery) {
      const overdue = await jobs.countFree(at - late, (fastest * catchUpWithin) / 1_000)
      pace = Math.min(fastest, Math.max(pace, (overdue * 1_000) / catchUpWithin))
      countedAt = elapsed()
    }
  }

  return async (horizon: Milliseconds, free: number): Promise<Job[]> => {
    // The result of the last claim was lost, so release the unknown jobs that it took.
    if (isUnsure) await jobs.release(now(), leased.claims())
    isUnsure = false
    await setPace(now())
    isUnsure = true
    const at = now()
    const claimedAt = elapsed()
    unused = Math.min(longestPause, unused + claimedAt - claimedBefore)
    claimedBefore = claimedAt
    const onTime = await jobs.claim(at + horizon, lease - horizon, free, at - late)
    const room = Math.min(free, mostInFlight - leased.size()) - onTime.length
    const overdue = Math.floor(Math.min((unused / 1_000) * pace, room))
    const behind = overdue > 0 ? await jobs.claim(at, lease, overdue) : []
    isUnsure = false
    if (overdue > 0) isBehind = behind.length === overdue
    unused -= (behind.length / pace) * 1_000
    // A job that is still in progress here was claimed again only because its lease expired.
    const fresh = [...behind, ...onTime].filter((job) => !leased.has(job))
    for (const job of fresh) {
      leased.add(job, claimedAt)
      metrics.jobsClaimed.inc({ kind: job.kind })
    }
    return fresh
  }
}
