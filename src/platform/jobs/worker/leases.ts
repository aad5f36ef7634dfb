import type { Logger } from 'pino'
import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'
import type { Job, Verdict } from '../job.ts'
import type { Jobs } from '../jobs.ts'

/** How long a lease lasts without renewal. Other instances look every 5 s, so one of them takes over within a minute. */
export const lease: Milliseconds = seconds(40)
const renewEvery: Milliseconds = seconds(10)
/** Work that has waited this long for the database makes no progress here; another instance may do better. */
const patience: Milliseconds = seconds(10)

/** A leased job: when its lease ends unless renewed, and since when it has waited for the database, both by `elapsed`. */
type Leased = {
  job: Job
  endsAt: Milliseconds
  waitsSince: Milliseconds | undefined
  /** Its verdict, once that waits to be written. */
  verdict?: Verdict
}

/** What this worker has claimed and not finished yet. Leases of work that makes progress are renewed. */
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
  const stuck = ({ waitsSince }: Leased) => waitsSince !== undefined && elapsed() - waitsSince >= patience

  const renew = async () => {
    const kept = [...leased.values()].filter((one) => !stuck(one))
    if (renewing || kept.length === 0) return
    renewing = true
    const at = elapsed()
    try {
      const ours = await options.jobs.extend(
        kept.map(({ job }) => job),
        options.now() + lease,
      )
      for (const one of kept) one.endsAt = ours.has(one.job.id) ? at + lease : at
      failing = false
    } catch (error) {
      if (!failing) options.log.error({ err: error }, 'Leases could not be renewed; next try in 10 s.')
      failing = true
    } finally {
      renewing = false
    }
  }

  return {
    size: () => leased.size,
    claims: () => [...new Set([...leased.values()].map(({ job }) => job.claim))],
    /** Whether this claim is the last one that took its job, and is not finished. */
    has: (job: Claimed) => find(job) !== undefined,
    /** Adds a job that was claimed at this time and waits to be prepared; replaces an earlier claim of the same job. */
    add(job: Job, claimedAt: Milliseconds) {
      leased.set(job.id, { job, endsAt: claimedAt + lease, waitsSince: claimedAt })
    },
    /** The job no longer waits for the database. */
    goesOn(job: Claimed) {
      const one = find(job)
      if (one) one.waitsSince = undefined
    },
    /** The job's verdict waits to be written. */
    waits(job: Claimed, verdict: Verdict) {
      const one = find(job)
      if (one) Object.assign(one, { verdict, waitsSince: elapsed() })
    },
    /** Moves all times by as much as the clock was set. */
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
    /** Whether its lease still lasts. If the whole process was paused, the job may be another instance's by now. */
    isOurs(job: Claimed) {
      const one = find(job)
      return one !== undefined && elapsed() < one.endsAt
    },
    /** Whether any job has waited too long for the database. */
    isStuck: () => [...leased.values()].some(stuck),
    renew,
    start() {
      timer = setInterval(renew, renewEvery)
    },
    stop() {
      clearInterval(timer)
    },
  }
}
export type Leases = ReturnType<typeof leases>
