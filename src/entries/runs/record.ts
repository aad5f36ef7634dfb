import { sql } from 'kysely'
import type { Context } from '../../platform/context.ts'
import { lockJobs } from '../../platform/db/locks.ts'
import { pipeline } from '../../platform/db/look-up.ts'
import type { Db, Queries } from '../../platform/db/open.ts'
import type { Bool } from '../../platform/db/tables.ts'
import type { LiveEvent } from '../../platform/live/events.ts'
import { mostStoredRuns } from '../../shared/list-terms.ts'
import { dayOf, days, type Instant } from '../../shared/time.ts'
import { withoutQuery } from '../../shared/urls/web-url.ts'
import { futureRunTolerance, turnJob } from '../store.ts'
import { entryChanged, readRun } from '../stored-entry.ts'
import type { RunResult } from '../tool-server.ts'
import { type EndedRun, isActive, updateIncidents } from './incidents.ts'

type Recorded = NonNullable<RunResult['run']>

const dailyTotalsKeptFor = days(400)
const columns = {
  entry_id: 'text',
  owner_id: 'text',
  at: 'bigint',
  success: 'bigint',
  duration: 'bigint',
  count: 'bigint',
  note: 'text',
  day: 'text',
  counts: 'bigint',
} as const

/** Writes a batch of results in one transaction, then publishes them. */
export async function record(context: Context, results: readonly RunResult[]): Promise<void> {
  // The statements below handle each entry and job once per batch, so a rare second result waits for the next round.
  const seen = new Set<string>()
  const secondResults: RunResult[] = []
  const firstResults = results.filter((result) => {
    const ids = [result.verdict.id, result.run?.entryId ?? result.verdict.id]
    if (ids.some((id) => seen.has(id))) return void secondResults.push(result)
    for (const id of ids) seen.add(id)
    return true
  })
  await recordOnce(context, firstResults)
  if (secondResults.length > 0) await record(context, secondResults)
}

async function recordOnce(context: Context, results: readonly RunResult[]) {
  const { db, jobs, events, metrics, now } = context
  const writtenAt = now()
  const { liveEvents, runs } = await db.q.transaction().execute(async (tx) => {
    await postponeTurns(db, results, tx, writtenAt)
    const verdicts = results.map(({ verdict }) => verdict)
    const finishedIds = await jobs.finish(verdicts, tx)
    const runs = results.flatMap(({ run, verdict }) =>
      // If the clock was set back during the run, its end counts as its start.
      run && finishedIds.has(verdict.id) ? [{ ...run, at: Math.min(run.at, writtenAt) }] : [],
    )
    const liveEvents: LiveEvent[] = []
    // In the order in which all transactions lock jobs.
    const ordered = results.toSorted((one, other) => (one.verdict.id < other.verdict.id ? 1 : -1))
    for (const { also, verdict } of ordered)
      if (also && finishedIds.has(verdict.id)) liveEvents.push(...(await also(tx)))
    if (runs.length === 0) return { liveEvents, runs }
    const last = await writeRuns(db, tx, runs, writtenAt)
    const owners = new Map(last.map(({ id, ownerId }) => [id, ownerId]))
    // An entry may have been given away during its run.
    const ownedRuns = runs.map((run) => ({ ...run, ownerId: owners.get(run.entryId) ?? run.ownerId }))
    liveEvents.push(...(await notifyOfRuns(context, tx, ownedRuns, last)), ...ownedRuns.map(liveRun))
    return { liveEvents, runs }
  })
  for (const { tool, success } of runs) metrics.runs.inc({ tool, outcome: success ? 'success' : 'failure' })
  events.publish(liveEvents)
}

/**
 * Writes runs, daily totals and each entry's last run. Returns the entries that failed, have an open incident, or have
 * another owner than when the run began.
 */
async function writeRuns(db: Db, tx: Queries, runs: readonly Recorded[], writtenAt: Instant): Promise<LastRun[]> {
  const batch = db.rows('result', columns, runs.map(rowOf))
  const newest = Math.max(...runs.map((run) => run.at))
  const [, , , , , last] = await pipeline(tx, [
    sql`
        insert into run (entry_id, at, success, duration, count, note)
        select entry_id, coalesce((select min(taken.at) + 1 from run as taken
            where taken.entry_id = result.entry_id and taken.at >= result.at
              and exists (select 1 from run where run.entry_id = result.entry_id and run.at = result.at)
              and not exists (select 1 from run where run.entry_id = result.entry_id and run.at = taken.at + 1)), at),
          success, duration, count, note from ${batch} where true`,
    // Deletes the oldest run. Runs in the future date from before the clock was set back, so they go first.
    sql`
        delete from run where (entry_id, at) in (
          select entry_id, coalesce((select min(at) from run where run.entry_id = result.entry_id and at > ${writtenAt + futureRunTolerance}),
            (select min(at) from run where run.entry_id = result.entry_id))
          from ${batch} where (
            select at from run where run.entry_id = result.entry_id order by at desc limit 1 offset ${sql.lit(mostStoredRuns)}) is not null)`,
    sql`
        insert into run_day (entry_id, day, ok, fail, ms_sum, ms_max)
        select entry_id, day, success, 1 - success, duration, duration from ${batch} where true
        on conflict (entry_id, day) do update set ok = run_day.ok + excluded.ok, fail = run_day.fail + excluded.fail,
          ms_sum = run_day.ms_sum + excluded.ms_sum,
          ms_max = case when excluded.ms_max > run_day.ms_max then excluded.ms_max else run_day.ms_max end`,
    sql`delete from run_day where day < ${dayOf(newest - dailyTotalsKeptFor)} and entry_id in (select entry_id from ${batch})`,
    sql`
        update entry set last_at = result.at, last_success = result.success, last_duration = result.duration,
          last_count = result.count, last_note = result.note,
          fails = case result.success when 1 then 0 else entry.fails + result.counts end,
          failing_since = case when result.success = 1 then null when result.counts = 0 then entry.failing_since
            else coalesce(entry.failing_since, result.at) end,
          blocked_at = case result.success when 1 then null else entry.blocked_at end
        from ${batch} where entry.id = result.entry_id
          and (entry.last_at is null or entry.last_at <= result.at or entry.last_at > ${writtenAt})`,
    sql<LastRun>`
      select entry.id as id, entry.owner_id as "ownerId", entry.name as name, entry.about as about, ${isActive} as active, entry.fails as fails,
        entry.notify_after as "notifyAfter", entry.failing_since as "failingSince", entry.blocked_at as "blockedAt",
        entry.incident_id as "incidentId", case when entry.last_at = result.at then 1 else 0 end as "isLast"
      from ${batch} join entry on entry.id = result.entry_id
      where entry.last_at = result.at and (result.success = 0 or entry.incident_id is not null)
        or entry.owner_id <> result.owner_id`,
  ])
  return last
}

async function notifyOfRuns(
  { db, config, notify }: Context,
  tx: Queries,
  runs: readonly Recorded[],
  last: readonly LastRun[],
): Promise<LiveEvent[]> {
  const byEntry = new Map(runs.map((run) => [run.entryId, run]))
  const endedRuns = last.flatMap(({ active, name, about, isLast, ...row }): EndedRun[] => {
    const run = byEntry.get(row.id)
    if (!run || isLast === 0) return []
    const url = noticeUrl(config, { tool: run.tool, id: row.id, called: run.url })
    return [{ ...row, ...run, active: active === 1, entry: { id: row.id, tool: run.tool, name, about, url } }]
  })
  const notices = await updateIncidents(db, tx, endedRuns)
  const notifiedIds = new Set(notices.flatMap((one) => ('entry' in one ? one.entry.id : [])))
  const changes = runs.filter(({ success, wasFailing, entryId }) => success === wasFailing || notifiedIds.has(entryId))
  return [
    ...(notices.length > 0 ? await notify(tx, notices) : []),
    ...changes.map(({ tool, entryId, ownerId }) => entryChanged(tool, entryId, ownerId)),
  ]
}

type LastRun = {
  id: string
  ownerId: string
  isLast: Bool
  name: string | null
  about: string
  active: Bool
  fails: number
  notifyAfter: number
  failingSince: Instant | null
  blockedAt: Instant | null
  incidentId: string | null
}

export const entryPageUrl = ({ baseUrl }: Pick<Context['config'], 'baseUrl'>, tool: string, id: string): string =>
  `${baseUrl}/tools/${tool}/modify?id=${id}`

/** The URL in notices: the one called, without its query, or the entry's own page if that URL is secret. */
export const noticeUrl = (
  config: Pick<Context['config'], 'baseUrl'>,
  { tool, id, called }: { tool: string; id: string; called: string | undefined },
): string => (called === undefined ? entryPageUrl(config, tool, id) : withoutQuery(called))

/** Postpones turns of entries whose host asked Run now to wait. Locks all jobs of the batch first, in lock order. */
async function postponeTurns(db: Db, results: readonly RunResult[], tx: Queries, now: Instant) {
  const postponements = results.flatMap(({ postponeTurn }) => postponeTurn ?? [])
  if (postponements.length === 0) return
  const turns = postponements.map(({ entryId, wait }) => ({ id: turnJob(entryId), until: Math.ceil(now + wait) }))
  await lockJobs(db, tx, [...turns, ...results.map(({ verdict }) => verdict)])
  const batch = db.rows('asked', { id: 'text', until: 'bigint' }, turns)
  await sql`update job set due_at = asked.until, free_at = asked.until, planned_at = ${now} from ${batch}
    where job.id = asked.id and job.due_at < asked.until and job.lease_by is null`.execute(tx)
}

const rowOf = (run: Recorded) => ({
  entry_id: run.entryId,
  owner_id: run.ownerId,
  at: run.at,
  success: run.success ? 1 : 0,
  duration: run.duration,
  count: run.count ?? null,
  note: run.note ?? null,
  day: dayOf(run.at),
  counts: run.isOurs ? 0 : 1,
})

const liveRun = (run: Recorded): LiveEvent => ({
  type: 'run',
  to: { userId: run.ownerId, role: ['Tools', 2] },
  data: {
    tool: run.tool,
    id: run.entryId,
    run: readRun(run.at, run.success ? 1 : 0, run.duration, run.count ?? null, run.note ?? null),
  },
})
