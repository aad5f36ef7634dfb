import { sql } from 'kysely'
import type { Logger } from 'pino'
import { type Instant, type Milliseconds, minutes, seconds } from '../../../shared/time.ts'
import { rowLock } from '../../db/locks.ts'
import type { Db, Queries } from '../../db/open.ts'
import type { Job } from '../job.ts'
import { lease } from './leases.ts'

/** Smaller steps are drift, which harms no schedule. */
const leastStep: Milliseconds = 500
/** Two clocks can't be compared if the process was paused for longer than this between reading them. */
const maxReadTime: Milliseconds = 100

/** How far the clock was set, and when (by its new setting) it last ran evenly. */
export type ClockStep = { by: Milliseconds; since: Instant }

/** The clock that due times follow. It runs evenly; only `follow` sets it, after all planned work has been shifted. */
export function steadyClock({ now, elapsed, refreshClock }: Pick<ClockOptions, 'now' | 'elapsed' | 'refreshClock'>) {
  let offset = now() - elapsed()
  let lookedAt = elapsed()
  return {
    now: (): Instant => Math.ceil(offset + elapsed()),
    /** Returns how far the clock was set since the last call; undefined if it wasn't, or if the process was paused. */
    async step(): Promise<ClockStep | undefined> {
      await refreshClock?.()
      const at = elapsed()
      const wall = now()
      if (elapsed() - at > maxReadTime) return undefined
      const by = Math.round(wall - at - offset)
      const since = Math.floor(wall - (at - lookedAt))
      if (Math.abs(by) >= leastStep) return { by, since }
      offset += by
      lookedAt = at
      return undefined
    },
    follow({ by }: ClockStep) {
      offset += by
      lookedAt = elapsed()
    },
  }
}

export type ClockOptions = {
  now: () => Instant
  elapsed: () => Milliseconds
  /** Re-reads the database's clock; absent if the clock is the machine's. */
  refreshClock?: (() => Promise<void>) | undefined
  log: Logger
  /** Shifts all jobs that were planned before the step, in one transaction. */
  shift: (step: ClockStep) => Promise<void>
  plannedAhead: () => Promise<Instant | undefined>
}

/** How often to check for jobs that were planned by a wrong clock. */
const lookEvery: Milliseconds = minutes(1)

/** Shifts all planned work when the clock is set. */
export function clockFollower(
  options: ClockOptions & { clock: ReturnType<typeof steadyClock>; onShifted: (by: Milliseconds) => void },
) {
  const { clock, elapsed, log } = options
  let looksAgainAt = Number.NEGATIVE_INFINITY

  return {
    /** Follows a step that this process detects. Never call it while results are written: they would miss the step. */
    async step() {
      const step = await clock.step()
      if (!step) return
      await options.shift(step)
      options.onShifted(step.by)
      clock.follow(step)
      log.warn({ seconds: step.by / 1_000 }, 'The clock was set; shifting all planned jobs')
    },

    /** Shifts back jobs planned in the future: the clock was set back between starts, or before the planner noticed. */
    async shiftBack() {
      if (elapsed() < looksAgainAt) return
      const ahead = await options.plannedAhead()
      if (ahead !== undefined) {
        const by = clock.now() - ahead
        await options.shift({ by, since: 0 })
        log.warn({ seconds: by / 1_000 }, 'The clock was set back; shifting all planned jobs')
      }
      looksAgainAt = elapsed() + lookEvery
    },
  }
}

/** How much the clocks of instances may differ right after reading the time. */
const maxSkew: Milliseconds = seconds(1)

type Shifted = Pick<Job, 'kind' | 'entryId' | 'payload'>

/** Shifts all jobs planned before the clock was set by the same step, once for all instances. Returns them. */
export async function shiftJobs(db: Db, tx: Queries, { by, since }: ClockStep, now: Instant): Promise<Shifted[]> {
  // Locks jobs in the same order as everywhere else.
  const lock = rowLock(db, 'no key update')
  const { rows } = await sql<Shifted>`
    with earlier as materialized (
      select id from job where planned_at not between ${since - maxSkew} and ${now + maxSkew} order by id desc ${lock})
    update job set turn_at = turn_at + ${by}, due_at = due_at + ${by}, waiting_since = waiting_since + ${by},
      next_turn_at = next_turn_at + ${by},
      free_at = case when lease_by is null then free_at + ${by} else ${now + lease} end, planned_at = ${now}
    where id in (select id from earlier) returning kind, entry_id as "entryId", payload`.execute(tx)
  await sql`
    with late as materialized (
      select id from job where lease_by is not null and free_at > ${now + lease + maxSkew} order by id desc ${lock})
    update job set free_at = ${now + lease} where id in (select id from late)`.execute(tx)
  return rows
}

/** When the newest job was planned or leased, if that is in the future since the clock has been set back. */
export async function plannedAhead(db: Db, now: Instant): Promise<Instant | undefined> {
  const { rows } = await sql<{ newest: number | null }>`
    select max(case when lease_by is not null and free_at - ${lease} > planned_at then free_at - ${lease} else planned_at end)
      as newest from job`.execute(db.q)
  const newest = rows[0]?.newest ?? 0
  return newest > now + maxSkew ? newest : undefined
}
