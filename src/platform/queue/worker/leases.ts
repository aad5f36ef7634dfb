import type { Logger } from 'pino'
import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'
import type { Job, Verdict } from '../job.ts'
import type { Jobs } from '../jobs.ts'

/** How long a claim holds without being renewed. Another instance looks every 5 s, so it takes over within a minute. */
export const lease: Milliseconds = seconds(40)
const renewEvery: Milliseconds = seconds(10)
/** Work that has waited so long for the database makes no progress here: somebody else may do better. */
const patience: Milliseconds = seconds(10)

/** A job of ours: until when it stays so unless renewed, and since when it waits for the database, both by `elapsed`. */
type Leased = {
  job: Job
  endsAt: Milliseconds
  waitsSince: Milliseconds | undefined
  /** What is to become of it, when that waits to be written. */
  verdict?: Verdict
}

/** What this worker has claimed and not settled yet. Leases of work that makes progress are renewed. */
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

  type Held = Pick<Job, 'id' | 'leaseBy'>
  const find = ({ id, leaseBy }: Held) => {
    const one = leased.get(id)
    return one?.job.leaseBy === leaseBy ? one : undefined
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
    claims: () => [...new Set([...leased.values()].map(({ job }) => job.leaseBy))],
    /** Whether this claim is the last that took its job, and is not settled. */
    has: (job: Held) => find(job) !== undefined,
    /** Keeps a job that was claimed at this time and waits to be prepared, in place of what was planned for it before. */
    add(job: Job, claimedAt: Milliseconds) {
      leased.set(job.id, { job, endsAt: claimedAt + lease, waitsSince: claimedAt })
    },
    /** It goes on without the database. */
    goesOn(job: Held) {
      const one = find(job)
      if (one) one.waitsSince = undefined
    },
    /** This verdict on it waits to be written. */
    waits(job: Held, verdict: Verdict) {
      const one = find(job)
      if (one) Object.assign(one, { verdict, waitsSince: elapsed() })
    },
    /** The clock was set by this much, and due times move along. */
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
    drop(job: Held) {
      if (find(job)) leased.delete(job.id)
    },
    /** Whether the lease has not ended: after a stop of the whole process, say, the job may be somebody else's. */
    isOurs(job: Held) {
      const one = find(job)
      return one !== undefined && elapsed() < one.endsAt
    },
    /** Whether the database has kept any of it waiting too long. */
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
