import { sql } from 'kysely'
import { type Instant, type Milliseconds, seconds } from '../../shared/time.ts'
import type { Db } from '../db/open.ts'
import { heads } from './job-rows.ts'

const late: Milliseconds = seconds(10)
/** Counting goes no further: that much is trouble, however much more there is. */
const most = 10_000

export const laneStates = ['busy', 'due', 'waiting'] as const
export type LaneState = (typeof laneStates)[number]

/** Jobs of a kind that are due and not leased: how many, how many are late, and since when the oldest is due. */
export type Waiting = { kind: string; due: number; late: number; oldest: Instant }

/** What waits to be done, without a look at what is due later. A job behind another of its lane isn't due. */
export async function waitingWork(
  db: Db,
  now: Instant,
): Promise<{ kinds: Waiting[]; lanes: Record<LaneState, number> }> {
  const counted = sql`count(*) as due, sum(case when free_at <= ${now - late} then 1 else 0 end) as late, min(free_at) as oldest`
  const [alone, inLanes] = await Promise.all([
    db.longRead<Waiting>(sql`
      select kind, ${counted} from (
        select kind, free_at from job where lane is null and free_at <= ${now}
        order by free_at limit ${most}) as ready group by kind`),
    db.longRead<Waiting & { state: LaneState }>(sql`
      with recursive ${heads}, state_of as (
        select job.kind, job.free_at, case
          when exists (select 1 from job as other where other.lane = head.lane
            and other.lease_by is not null and other.free_at > ${now}) then 'busy'
          when job.free_at <= ${now} then 'due' else 'waiting' end as state
        from head join job on job.id = head.id)
      select kind, state, ${counted} from state_of group by kind, state`),
  ])
  const lanes: Record<LaneState, number> = { busy: 0, due: 0, waiting: 0 }
  for (const { state, due } of inLanes) lanes[state] += due
  return { kinds: [...alone, ...inLanes.filter(({ state }) => state === 'due')], lanes }
}
