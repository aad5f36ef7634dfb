import { sql } from 'kysely'
import { type Instant, type Milliseconds, seconds } from '../../shared/time.ts'
import { rowLock } from '../db/locks.ts'
import type { Db, Queries } from '../db/open.ts'
import type { Job } from './job.ts'
import { lease } from './worker/leases.ts'
import type { ClockStep } from './worker/steady-clock.ts'

/** How far apart instances may be that have just read the clock. */
const apart: Milliseconds = seconds(1)

export type Shifted = Pick<Job, 'kind' | 'entryId' | 'payload'>

/** Moves all jobs that were planned before the clock was set by the same step, once for all instances. Answers them. */
export async function shiftJobs(db: Db, tx: Queries, { by, since }: ClockStep, now: Instant): Promise<Shifted[]> {
  // Locks jobs in the same order as everywhere else.
  const lock = rowLock(db, 'no key update')
  const { rows } = await sql<Shifted>`
    with earlier as materialized (
      select id from job where planned_at not between ${since - apart} and ${now + apart} order by id desc ${lock})
    update job set turn_at = turn_at + ${by}, due_at = due_at + ${by}, waiting_since = waiting_since + ${by},
      next_turn_at = next_turn_at + ${by},
      free_at = case when lease_by is null then free_at + ${by} else ${now + lease} end, planned_at = ${now}
    where id in (select id from earlier) returning kind, entry_id as "entryId", payload`.execute(tx)
  await sql`
    with late as materialized (
      select id from job where lease_by is not null and free_at > ${now + lease + apart} order by id desc ${lock})
    update job set free_at = ${now + lease} where id in (select id from late)`.execute(tx)
  return rows
}

/** When the newest job was planned or leased, if that is in the future: the clock has been set back since. */
export async function plannedAhead(db: Db, now: Instant): Promise<Instant | undefined> {
  const { rows } = await sql<{ newest: number | null }>`
    select max(case when lease_by is not null and free_at - ${lease} > planned_at then free_at - ${lease} else planned_at end)
      as newest from job`.execute(db.q)
  const newest = rows[0]?.newest ?? 0
  return newest > now + apart ? newest : undefined
}
