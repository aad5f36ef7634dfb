import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'
import type { Metrics } from '../../metrics.ts'
import type { Job } from '../job.ts'
import type { Jobs } from '../jobs.ts'
import { type Leases, lease } from './leases.ts'

/** Work that is later than this is caught up at a steady pace beside what is on time. */
const late = seconds(1)
const catchUpPerSecond = 50
/** What a look may catch up at once: as much as becomes free between two looks of a busy machine. */
const catchUpAtOnce = 25

/** Claims what is on time, and as much of what is late as the pace allows. */
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
  let budget = catchUpAtOnce
  let budgetAt = elapsed()

  return async (horizon: Milliseconds, free: number): Promise<Job[]> => {
    // The answer to a claim was lost, and with it what that has claimed.
    if (isUnsure) await jobs.release(now(), leased.claims())
    isUnsure = true
    const at = now()
    const claimedAt = elapsed()
    budget = Math.min(catchUpAtOnce, budget + ((claimedAt - budgetAt) / 1_000) * catchUpPerSecond)
    budgetAt = claimedAt
    const onTime = await jobs.claim(at + horizon, lease - horizon, free, at - late)
    const overdue = Math.floor(Math.min(budget, free - onTime.length))
    const behind = overdue > 0 ? await jobs.claim(at, lease, overdue) : []
    isUnsure = false
    budget -= behind.length
    // A job that we still have was only claimed again because its lease ran out meanwhile.
    const fresh = [...behind, ...onTime].filter((job) => !leased.has(job))
    for (const job of fresh) {
      leased.add(job, claimedAt)
      metrics.jobsClaimed.inc({ kind: job.kind })
    }
    return fresh
  }
}
