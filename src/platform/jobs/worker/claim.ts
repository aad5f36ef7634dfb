import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Job } from '../job.ts'
import type { Jobs } from '../jobs.ts'
import { type Leases, lease } from './leases.ts'

/** Work that is overdue by more than this is caught up at a steady pace, along with work that is on time. */
const late = seconds(1)
/** The more is overdue, the faster, so that it is done by then; but work that is on time needs most of the machine. */
const catchUpWithin = seconds(40)
const slowest = 50
const fastest = 450
/** How often to look whether more has become overdue. */
const countEvery = seconds(5)
/** How long a pause between two claims is made up for. */
const longestPause = seconds(0.5)
/** Overdue work on hosts that hang leaves room for what is on time. */
const mostInFlight = 1_500

/** Claims what is on time, and as much of what is overdue as the pace allows. */
export function claimer({
  jobs,
  now,
  elapsed,
  leased,
  metrics,
}: {
  jobs: Jobs
  now: () => Instant
  elapsed: () => Milliseconds
  leased: Leases
  metrics: Pick<Metrics, 'jobsClaimed'>
}) {
  let isUnsure = false
  let isBehind = false
  /** How many overdue jobs are claimed a second. */
  let pace = slowest
  let countedAt = Number.NEGATIVE_INFINITY
  let unused = longestPause
  let claimedBefore = elapsed()

  /** Counts what is overdue now and then: as long as there is any, the pace does not slow down. */
  async function setPace(at: Instant) {
    if (!isBehind) pace = slowest
    else if (elapsed() - countedAt >= countEvery) {
      const overdue = await jobs.countFree(at - late, (fastest * catchUpWithin) / 1_000)
      pace = Math.min(fastest, Math.max(pace, (overdue * 1_000) / catchUpWithin))
      countedAt = elapsed()
    }
  }

  return async (horizon: Milliseconds, free: number): Promise<Job[]> => {
    // The answer to the last claim was lost, so nobody knows which jobs it took.
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
    // A job that is still in progress here was claimed again only because its lease ran out.
    const fresh = [...behind, ...onTime].filter((job) => !leased.has(job))
    for (const job of fresh) {
      leased.add(job, claimedAt)
      metrics.jobsClaimed.inc({ kind: job.kind })
    }
    return fresh
  }
}
