import { sql } from 'kysely'
import type { Instant } from '../../shared/time.ts'
import type { NewJob, Verdict } from './job.ts'

/** More jobs than are ever leased at once. The limit keeps the planner from walking all jobs to find the first leased one. */
export const mostLeased = 1_000_000

/** The oldest job of each lane, found lane by lane: everything behind it is skipped, however much that is. */
export const heads = sql`lane_of(lane) as (
  select min(lane) from job where lane is not null
  union all
  select (select min(lane) from job where lane > lane_of.lane) from lane_of where lane_of.lane is not null
), head as (
  select lane, (select id from job where job.lane = lane_of.lane order by turn_at, id limit 1) as id
  from lane_of where lane is not null
)`

export const columns = {
  id: 'text',
  kind: 'text',
  entry_id: 'text',
  lane: 'text',
  payload: 'text',
  turn_at: 'bigint',
  due_at: 'bigint',
  free_at: 'bigint',
  planned_at: 'bigint',
} as const

/** Durations by `elapsed` have fractions of a millisecond; rows have none, so it rounds up: no job is due earlier than planned. */
export const whole = (at: Instant): Instant => Math.ceil(at)

export const rowOf = (job: NewJob) => ({
  id: job.id,
  kind: job.kind,
  entry_id: job.entryId,
  lane: job.lane ?? null,
  payload: job.payload === undefined ? null : JSON.stringify(job.payload),
  turn_at: whole(job.turnAt ?? job.dueAt),
  due_at: whole(job.dueAt),
  free_at: whole(job.dueAt),
  planned_at: whole(job.plannedAt ?? job.dueAt),
  attempt: 0,
  lease_by: null,
})

export const verdictColumns = {
  id: 'text',
  turn_at: 'bigint',
  due_at: 'bigint',
  attempt: 'bigint',
  waiting_since: 'bigint',
  claim: 'bigint',
} as const

export const verdictRow = (verdict: Verdict) => ({
  id: verdict.id,
  turn_at: verdict.turnAt === null ? null : whole(verdict.turnAt),
  due_at: whole(verdict.dueAt),
  attempt: verdict.attempt,
  waiting_since: verdict.waitingSince ?? null,
  claim: verdict.claim ?? null,
})
