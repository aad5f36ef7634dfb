import { sql } from 'kysely'
import type { Instant, Milliseconds } from '../../shared/time.ts'
import { jobKey, jobsInOrder, lockJobs, rowLock } from '../db/locks.ts'
import type { Db, Queries } from '../db/open.ts'
import { exists } from '../db/rows/read.ts'
import type { Job, NewJob, Verdict } from './job.ts'

/** The queue in the table `job`. A claimed job is free again when its lease ends, so a worker that dies loses none. */
export function jobs(db: Db, instance: string, now: () => Instant) {
  const q = db.q
  let wake = () => {}
  let claims = 0
  const locked = jobsInOrder(db)

  return {
    /** Sets the listener that is called when work may be due earlier than the worker expects. */
    onWake(listener: () => void) {
      wake = listener
    },
    wake: () => wake(),

    /** Adds this job or plans it again. A lease on it ends, because its result would belong to the old plan. */
    async plan(job: NewJob, tx: Queries = q) {
      await tx
        .insertInto('job')
        .values(rowOf(job))
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet((eb) => ({
            turn_at: eb.ref('excluded.turn_at'),
            due_at: eb.ref('excluded.due_at'),
            free_at: eb.ref('excluded.due_at'),
            payload: eb.ref('excluded.payload'),
            planned_at: eb.ref('excluded.planned_at'),
            attempt: 0,
            lease_by: null,
            waiting_since: null,
            next_turn_at: null,
          })),
        )
        .execute()
    },

    /** Sets when the turn after the current one is due, regardless of the verdict on the current one. */
    async planNext(id: string, dueAt: Instant, tx: Queries = q) {
      await tx
        .updateTable('job')
        .set({ next_turn_at: roundUp(dueAt) })
        .where('id', '=', id)
        .execute()
    },

    /** Adds the jobs that don't exist yet; leaves the others unchanged, even leased ones. Returns the ids it added. */
    async add(job: NewJob | readonly NewJob[], tx: Queries = q): Promise<Set<string>> {
      const records = [job].flat().map(rowOf)
      if (records.length === 0) return new Set()
      const { rows } = await sql<{ id: string }>`
        insert into job (id, kind, entry_id, lane, payload, turn_at, due_at, free_at, planned_at)
        select id, kind, entry_id, lane, payload, turn_at, due_at, free_at, planned_at from ${db.rows('added', columns, records)}
        where true on conflict (id) do nothing returning id`.execute(tx)
      return new Set(rows.map(({ id }) => id))
    },

    /** Adds jobs, and replaces those with the same ids due after `at`. Jobs leased or waiting for their host stay. */
    async addSooner(records: readonly NewJob[], at: Instant, tx: Queries) {
      const ids = records.map(({ id }) => id)
      await tx
        .deleteFrom('job')
        .where(db.isOneOf('id', ids))
        .where('due_at', '>', at)
        .where('lease_by', 'is', null)
        .where('waiting_since', 'is', null)
        .execute()
      await this.add(records, tx)
    },

    /** Makes an entry's leased jobs due again and ends their leases: the results would belong to the old settings. */
    async restart(entryId: string, at: Instant, tx: Queries = q) {
      await tx
        .updateTable('job')
        .set({ due_at: at, free_at: at, planned_at: at, attempt: 0, lease_by: null, waiting_since: null })
        .where('entry_id', '=', entryId)
        .where('lease_by', 'is not', null)
        .execute()
    },

    async cancel(id: string, tx: Queries = q) {
      await tx.deleteFrom('job').where('id', '=', id).execute()
    },

    /**
     * Claims up to `limit` jobs that became free in (`after`, `now`], oldest first, and leases them until `now +
     * lease`. From a lane it claims only the first job, and only while no other job of that lane is leased.
     */
    async claim(now: Instant, lease: Milliseconds, limit: number, after: Instant = 0): Promise<Job[]> {
      claims += 1
      // With the weaker lock, a job can be claimed while another transaction refers to its row.
      const lock = rowLock(db, 'no key update', { of: ['job'], skipLocked: true })
      const key = jobKey(db)
      // A sum, because SQLite re-plans a statement at every run if the limit of a sort is a plain parameter.
      const most = sql`${limit} + 0`
      const { rows } = await sql<Job>`
        with recursive ${laneHeads}, alone as materialized (
          select ${key} as key, free_at from job where lane is null and free_at <= ${now} and free_at > ${after}
          order by free_at limit ${most} ${lock}
        ), first as materialized (
          select ${key} as key, job.free_at from head cross join job
          where job.id = head.id and job.free_at <= ${now} and job.free_at > ${after} and not exists (
            select 1 from job as other where other.lane = head.lane and other.id <> head.id
              and other.lease_by is not null and other.free_at > ${now})
          order by job.free_at limit ${most} ${lock}
        ), due as materialized (
          select key from (select * from alone union all select * from first) as ready order by free_at limit ${most}
        )
        update job set free_at = ${now + lease}, lease_by = ${instance},
          claim = case when lease_by = ${instance} then claim else ${claims} end
        where ${key} in (select key from due)
        returning id, kind, entry_id as "entryId", lane, payload, turn_at as "turnAt", due_at as "dueAt", attempt,
          waiting_since as "waitingSince", claim`.execute(q)
      return rows.sort((a, b) => a.dueAt - b.dueAt)
    },

    /** Counts the jobs outside lanes that were free at this instant, up to `most`. */
    async countFree(at: Instant, most: number): Promise<number> {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from (select 1 from job where lane is null and free_at <= ${at} limit ${most}) as free`.execute(
        q,
      )
      return Number(rows[0]?.count ?? 0)
    },

    /**
     * Applies these verdicts and ends the leases of their jobs. Returns the ids that this instance still leased.
     * Verdicts on other jobs have no effect: the instance that took those over decides about them.
     */
    async finish(verdicts: readonly Verdict[], tx: Queries = q): Promise<Set<string>> {
      if (verdicts.length === 0) return new Set()
      await lockJobs(db, tx, verdicts)
      const moved = verdicts.filter((verdict) => verdict.turnAt !== null)
      const finalVerdicts = verdicts.filter((verdict) => verdict.turnAt === null)
      const finished = new Set<string>()
      // A postponed turn hasn't ended. Older versions ignore the column, and may leave a next turn that isn't later.
      const next = sql`case when verdict.turn_at <> job.turn_at and next_turn_at > job.turn_at then next_turn_at end`
      if (moved.length > 0) {
        const { rows } = await sql<{ id: string }>`
          update job set turn_at = coalesce(${next}, verdict.turn_at), due_at = coalesce(${next}, verdict.due_at),
            free_at = coalesce(${next}, verdict.due_at), attempt = verdict.attempt,
            payload = case when kind <> 'turn' or verdict.turn_at = job.turn_at then payload end,
            next_turn_at = case when verdict.turn_at = job.turn_at then next_turn_at end,
            lease_by = null, planned_at = ${now()}, waiting_since = verdict.waiting_since
          from ${db.rows('verdict', verdictColumns, moved.map(verdictRow))}
          where job.id = verdict.id and job.lease_by = ${instance}
            and job.claim = coalesce(verdict.claim, job.claim) returning job.id as id`.execute(tx)
        for (const row of rows) finished.add(row.id)
      }
      if (finalVerdicts.length > 0) {
        const records = finalVerdicts.map((v) => ({ id: v.id, claim: v.claim ?? null }))
        const { rows } = await sql<{ id: string }>`
          delete from job where lease_by = ${instance} and id in (
            select verdict.id from ${db.rows('verdict', { id: 'text', claim: 'bigint' }, records)}
            where job.claim = coalesce(verdict.claim, job.claim)) returning id`.execute(tx)
        for (const row of rows) finished.add(row.id)
      }
      return finished
    },

    /** Makes postponed jobs due at their turns again, except leased ones. */
    async resume(ids: readonly string[], tx: Queries = q) {
      const lock = rowLock(db, 'no key update', { skipLocked: true })
      await sql`
        update job set due_at = turn_at, free_at = turn_at where id in (
          select id from job where ${db.isOneOf('id', ids)} and lease_by is null and turn_at < due_at ${lock})`.execute(
        tx,
      )
      wake()
    },

    /** Makes a lane's postponed jobs due now, as first attempts; not leased ones nor, if `skipLocked`, locked ones. */
    async hurry(lane: string, at: Instant, tx: Queries = q, { skipLocked = false } = {}) {
      const lock = rowLock(db, 'no key update', { skipLocked })
      await sql`
        with waiting as materialized (
          select id from job where lane = ${lane} and turn_at <= ${at} and lease_by is null order by id desc ${lock})
        update job set due_at = ${at}, free_at = ${at}, planned_at = ${at}, attempt = 0
        where id in (select id from waiting)`.execute(tx)
    },

    /** Frees every leased job: for the start of the only instance on a database. */
    async releaseAll(now: Instant) {
      await q.updateTable('job').set({ free_at: now, lease_by: null }).where('lease_by', 'is not', null).execute()
    },

    /** Frees every job that this instance has leased, except by the claims in `but`. */
    async release(now: Instant, but: readonly number[] = []) {
      const rest = but.length > 0 ? sql`and claim not in (${sql.join(but)})` : sql``
      await sql`
        with leased as materialized (select id from job where lease_by = ${instance} ${rest} ${locked})
        update job set free_at = ${now}, lease_by = null where id in (select id from leased)`.execute(q)
    },

    /** Extends the leases and stores since when the jobs wait. Returns the ids that this instance still leased. */
    async extend(leases: readonly Pick<Job, 'id' | 'claim' | 'waitingSince'>[], until: Instant): Promise<Set<string>> {
      const records = leases.map((job) => ({ id: job.id, claim: job.claim, waiting_since: job.waitingSince }))
      const batch = db.rows('kept', { id: 'text', claim: 'bigint', waiting_since: 'bigint' }, records)
      // A later end was set by an instance that noticed earlier that the clock was set.
      const { rows } = await sql<{ id: string }>`
        with leased as materialized (
          select job.id, kept.waiting_since from ${batch} join job
          on job.id = kept.id and job.claim = kept.claim and job.lease_by = ${instance} ${locked})
        update job set waiting_since = leased.waiting_since, free_at = case when free_at > ${until} then free_at else ${until} end
        from leased where job.id = leased.id returning job.id as id`.execute(q)
      return new Set(rows.map(({ id }) => id))
    },

    /** Whether the job is still leased by this claim: it may have been planned again or deleted. */
    isLeased: ({ id, claim }: Pick<Job, 'id' | 'claim'>): Promise<boolean> =>
      exists(q.selectFrom('job').where('id', '=', id).where('lease_by', '=', instance).where('claim', '=', claim)),

    /** Whether another job of the lane is leased: once an older one is added, two instances may hold one each. */
    isLaneTaken(id: string, lane: string): Promise<boolean> {
      const others = q.selectFrom('job').where('lane', '=', lane).where('id', '<>', id)
      return exists(others.where('lease_by', 'is not', null).where('free_at', '>', now()))
    },

    /** When the next job can be claimed or the next lease expires, if that is earlier; undefined if there are none. */
    async nextFree(): Promise<Instant | undefined> {
      // Jobs behind another of their lane don't count: they would be free all the time.
      const { rows } = await sql<{ free_at: number | null }>`
        with recursive ${laneHeads}
        select min(free_at) as free_at from (
          select min(free_at) as free_at from job where lane is null
          union all
          select min(free_at) from (select free_at from job where lease_by is not null and lane > '' limit ${sql.lit(mostLeased)}) as leased
          union all
          select min(job.free_at) from head join job on job.id = head.id where not exists (
            select 1 from job as other where other.lane = head.lane and other.id <> head.id
              and other.lease_by is not null and other.free_at > 0)
        ) as next`.execute(q)
      return rows[0]?.free_at ?? undefined
    },
  }
}
export type Jobs = ReturnType<typeof jobs>

/** More jobs than are ever leased at once. Without this, the planner would scan all jobs for the first leased one. */
const mostLeased = 1_000_000

/** The oldest job of each lane, found lane by lane: this skips the jobs behind it, however many there are. */
export const laneHeads = sql`lane_of(lane) as (
  select min(lane) from job where lane is not null
  union all
  select (select min(lane) from job where lane > lane_of.lane) from lane_of where lane_of.lane is not null
), head as (
  select lane, (select id from job where job.lane = lane_of.lane order by turn_at, id limit 1) as id
  from lane_of where lane is not null
)`

const columns = {
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

/** Rounds up to whole ms, as rows store them: `elapsed` has fractions, and no job may be due earlier than planned. */
const roundUp = (at: Instant): Instant => Math.ceil(at)

const rowOf = (job: NewJob) => ({
  id: job.id,
  kind: job.kind,
  entry_id: job.entryId,
  lane: job.lane ?? null,
  payload: job.payload === undefined ? null : JSON.stringify(job.payload),
  turn_at: roundUp(job.turnAt ?? job.dueAt),
  due_at: roundUp(job.dueAt),
  free_at: roundUp(job.dueAt),
  planned_at: roundUp(job.plannedAt ?? job.dueAt),
  attempt: 0,
  lease_by: null,
})

const verdictColumns = {
  id: 'text',
  turn_at: 'bigint',
  due_at: 'bigint',
  attempt: 'bigint',
  waiting_since: 'bigint',
  claim: 'bigint',
} as const

const verdictRow = (verdict: Verdict) => ({
  id: verdict.id,
  turn_at: verdict.turnAt === null ? null : roundUp(verdict.turnAt),
  due_at: roundUp(verdict.dueAt),
  attempt: verdict.attempt,
  waiting_since: verdict.waitingSince ?? null,
  claim: verdict.claim ?? null,
})
