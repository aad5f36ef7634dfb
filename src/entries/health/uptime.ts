import { dayOf, days, hours, type Instant, type Milliseconds } from '../../shared/time.ts'
import type { Run, Stats } from '../contract.ts'
import { futureRunTolerance } from '../store.ts'

/** Shortest first. */
export const periods: readonly (readonly [keyof Stats['uptime'], Milliseconds])[] = [
  ['24h', hours(24)],
  ['7d', days(7)],
  ['30d', days(30)],
  ['90d', days(90)],
]

type RunHistory = {
  /** Newest first. */
  runs: readonly Pick<Run, 'success' | 'timestamp'>[]
  /** Totals of all runs by day, oldest first. */
  days: readonly Pick<Stats['days'][number], 'day' | 'ok' | 'fail'>[]
}
type Counts = { ok: number; fail: number }

/**
 * The share of successful runs, 0–1. Counts runs if all of the period are kept, otherwise daily totals, in proportion
 * to the part of the day within the period. Null without runs, and until runs cover half of the period.
 */
export function uptimeOf(history: RunHistory, now: Instant): Stats['uptime'] {
  const past = { ...history, runs: pastRuns(history.runs, now), areAllStored: areAllRunsStored(history) }
  const firstAt = firstRunAt(past)
  const shares = periods.map(([name, period]) => {
    if (firstAt > now - period / 2) return [name, null]
    const { ok, fail } = countsSince(past, now - period, now)
    return [name, ok + fail === 0 ? null : ok / (ok + fail)]
  })
  return Object.fromEntries(shares)
}

export const areAllRunsStored = ({ runs, days: byDay }: RunHistory) =>
  byDay.reduce((sum, { ok, fail }) => sum + ok + fail, 0) <= runs.length

/** Leaves out runs in the future, which date from before the clock was set back. */
export const pastRuns = <Of extends { timestamp: Instant }>(runs: readonly Of[], now: Instant): Of[] =>
  runs.filter(({ timestamp }) => timestamp <= now + futureRunTolerance)

type PastHistory = RunHistory & { areAllStored: boolean }

function firstRunAt({ runs, days: byDay, areAllStored }: PastHistory): Instant {
  const first = runs.at(-1)?.timestamp ?? Number.POSITIVE_INFINITY
  return areAllStored ? first : Math.min(first, ...byDay.slice(0, 1).map(({ day }) => Date.parse(day)))
}

function countsSince({ runs, days: byDay, areAllStored }: PastHistory, since: Instant, now: Instant): Counts {
  const oldest = runs.at(-1)?.timestamp ?? now
  if (areAllStored || oldest <= since) {
    const within = runs.filter(({ timestamp }) => timestamp > since)
    const ok = within.filter(({ success }) => success).length
    return { ok, fail: within.length - ok }
  }
  const sum = { ok: 0, fail: 0 }
  for (const { day, ok, fail } of byDay) {
    // Days in the future date from before the clock was set back.
    const part = day > dayOf(now) ? 0 : Math.min(1, (Date.parse(day) + days(1) - since) / days(1))
    if (part <= 0) continue
    sum.ok += ok * part
    sum.fail += fail * part
  }
  return sum
}
