import { type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'
import type { Metrics } from '../../metrics.ts'
import type { Job } from '../job.ts'
import type { Jobs } from '../jobs.ts'
import { type Leases, lease } from './leases.ts'

/** Work that is overdue by more than this is caught up at a steady pace, beside work that is on time. */
const late = seconds(1)
const catchUpPerSecond = 50
/** How much one claim may catch up: as much as the pace allows between two claims on a busy machine. */
const catchUpAtOnce = 25

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
  let budget = catchUpAtOnce
  let budgetAt = elapsed()

  return async (horizon: Milliseconds, free: number): Promise<Job[]> => {
    // The answer to the last claim was lost, so nobody knows which jobs it took.
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
    // A job that is still in progress here was claimed again only because its lease ran out.
    const fresh = [...behind, ...onTime].filter((job) => !leased.has(job))
    for (const job of fresh) {
      leased.add(job, claimedAt)
      metrics.jobsClaimed.inc({ kind: job.kind })
    }
    return fresh
  }
}
