import { sql } from 'kysely'
import { cached } from '../../shared/async.ts'
import { type Instant, type Milliseconds, seconds } from '../../shared/time.ts'
import type { Db } from '../db/open.ts'
import type { Metrics } from '../metrics.ts'
import { laneHeads } from './jobs.ts'

const late: Milliseconds = seconds(10)
/** Counts stop here: this many due jobs are a problem whatever their exact number. */
const mostCounted = 10_000

const laneStates = ['busy', 'due', 'waiting'] as const
type LaneState = (typeof laneStates)[number]

/** Jobs of a kind that are due and not leased: how many, how many of them late, and since when the oldest is due. */
export type DueWork = { kind: string; due: number; late: number; oldest: Instant }

/** Reads the due work without scanning jobs that are due later. A job behind another of its lane isn't due. */
async function readDueWork(db: Db, now: Instant): Promise<{ kinds: DueWork[]; lanes: Record<LaneState, number> }> {
  const counted = sql`count(*) as due, sum(case when free_at <= ${now - late} then 1 else 0 end) as late, min(free_at) as oldest`
  const [alone, inLanes] = await Promise.all([
    db.longRead<DueWork>(sql`
      select kind, ${counted} from (
        select kind, free_at from job where lane is null and free_at <= ${now}
        order by free_at limit ${mostCounted}) as ready group by kind`),
    db.longRead<DueWork & { state: LaneState }>(sql`
      with recursive ${laneHeads}, state_of as (
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

/** Adds metrics about the due work of all instances. Returns a function that reads it, at most once in 5 s. */
export function measureDueWork(
  metrics: Metrics,
  { db, now, elapsed }: { db: Db; now: () => Instant; elapsed: () => Milliseconds },
): () => Promise<{ at: Instant; kinds: readonly DueWork[] }> {
  const loadDueWork = cached(elapsed, seconds(5), async () => ({ at: now(), ...(await readDueWork(db, now())) }))
  /** Kinds that have been due before: they are reported as 0 when none of their jobs is due. */
  const seen = new Set<string>()
  const byKind = async (count: (work: DueWork) => number) => {
    const { kinds } = await loadDueWork()
    for (const { kind } of kinds) seen.add(kind)
    return [...seen].map((kind) => {
      const value = kinds.reduce((sum, one) => sum + (one.kind === kind ? count(one) : 0), 0)
      return { labels: { kind }, value }
    })
  }
  metrics.add(
    {
      name: 'toolbox_jobs_due',
      help: 'Jobs that are due and not yet started, counted up to 10000.',
      label: 'kind',
      read: () => byKind(({ due }) => due),
    },
    {
      name: 'toolbox_jobs_late',
      help: 'Jobs that have been due for more than 10 s and are not yet started, counted up to 10000.',
      label: 'kind',
      read: () => byKind(({ late }) => late),
    },
    {
      name: 'toolbox_jobs_oldest_due_seconds',
      help: 'How long the oldest due job has waited to start; 0 if there is none.',
      async read() {
        const { at, kinds } = await loadDueWork()
        return [{ value: Math.max(0, ...kinds.map(({ oldest }) => at - oldest)) / 1_000 }]
      },
    },
    {
      name: 'toolbox_lanes',
      help: 'Lanes with work (a webhook or channel, whose messages go out one by one) by state: busy (sending), due (may be sent now) or waiting (for a limit or the next attempt).',
      label: 'state',
      async read() {
        const { lanes } = await loadDueWork()
        return laneStates.map((state) => ({ labels: { state }, value: lanes[state] }))
      },
    },
  )
  return loadDueWork
}
