import type { Context } from '../../platform/context.ts'
import type { Awake } from '../../shared/status-glyphs.ts'
import { dayOf, days, type Instant } from '../../shared/time.ts'
import type { Run } from '../contract.ts'
import { areAllRunsStored, pastRuns, periods, uptimeOf } from '../health/uptime.ts'
import { entryStore } from '../store.ts'
import type { BadgePeriod } from './contract.ts'
import { mayPublish, type PublicState, publicAwake, publicState, stateColumns } from './public-state.ts'

/** The data of an entry's badges. Uptime is 0–1, latency in milliseconds; null without enough data for the period. */
export type BadgeFigures = {
  ownerId: string
  version: number
  state: PublicState
  awake: Awake | null
  uptime: Record<BadgePeriod, number | null>
  latency: Record<BadgePeriod, number | null>
  /** Values for each of the last 30 days (UTC), oldest first. */
  daily: { uptime: (number | null)[]; latency: (number | null)[] }
}

const drawnDays = 30

/** Returns undefined if the entry doesn't exist or its owner may not use the tools. */
export async function loadFigures(
  { db, now }: Pick<Context, 'db' | 'now'>,
  entryId: string,
): Promise<BadgeFigures | undefined> {
  const row = await db.q
    .selectFrom('entry')
    .innerJoin('users', 'users.id', 'entry.owner_id')
    .select([...stateColumns, 'entry.owner_id', 'entry.badge_version'])
    .select(['users.status as owner_status', 'users.roles'])
    .where('entry.id', '=', entryId)
    .executeTakeFirst()
  if (!row || !mayPublish({ status: row.owner_status, roles: row.roles })) return undefined
  const at = now()
  const runs = await entryStore(db).history(entryId, at)
  const byDay = await db.q
    .selectFrom('run_day')
    .select(['day', 'ok', 'fail', 'ms_sum'])
    .where('entry_id', '=', entryId)
    .orderBy('day')
    .execute()
  const uptime = uptimeOf({ runs, days: byDay }, at)
  return {
    ownerId: row.owner_id,
    version: row.badge_version,
    state: publicState(row),
    awake: publicAwake(row),
    uptime,
    latency: latencyOf({ runs, days: byDay }, uptime, at),
    daily: dailyOf(byDay, at),
  }
}

function dailyOf(byDay: RunHistory['days'], now: Instant): BadgeFigures['daily'] {
  const dayRows = new Map(byDay.map((row) => [row.day, row]))
  const rows = Array.from({ length: drawnDays }, (_, index) => dayRows.get(dayOf(now - days(drawnDays - 1 - index))))
  const perRun = (sumOf: (row: DayRow) => number) =>
    rows.map((row) => (row ? average([{ sum: sumOf(row), count: row.ok + row.fail }]) : null))
  return { uptime: perRun(({ ok }) => ok), latency: perRun(({ ms_sum }) => ms_sum) }
}

type DayRow = { day: string; ok: number; fail: number; ms_sum: number }
type RunHistory = { runs: readonly Run[]; days: readonly DayRow[] }

/** Average response times: of successful runs if all are kept, otherwise of whole days (UTC). Null where uptime is. */
function latencyOf(history: RunHistory, uptime: BadgeFigures['uptime'], now: Instant): BadgeFigures['latency'] {
  const { days: byDay } = history
  const runs = pastRuns(history.runs, now)
  const isAllKept = areAllRunsStored(history)
  const oldest = runs.at(-1)?.timestamp ?? now
  const averages = periods.map(([name, period]) => {
    if (uptime[name] === null) return [name, null]
    const since = now - period
    if (isAllKept || oldest <= since) {
      const within = runs.filter(({ timestamp, success }) => success && timestamp > since)
      return [name, average(within.map(({ duration = 0 }) => ({ sum: duration, count: 1 })))]
    }
    const within = byDay.filter(({ day }) => day >= dayOf(since) && day <= dayOf(now))
    // Prefer days without failures: a day's sum includes the time spent waiting for timeouts.
    const fine = within.filter(({ fail }) => fail === 0)
    const counted = fine.length > 0 ? fine : within
    return [name, average(counted.map(({ ok, fail, ms_sum }) => ({ sum: ms_sum, count: ok + fail })))]
  })
  return Object.fromEntries(averages)
}

function average(parts: readonly { sum: number; count: number }[]): number | null {
  const count = parts.reduce((total, part) => total + part.count, 0)
  return count === 0 ? null : parts.reduce((total, part) => total + part.sum, 0) / count
}
