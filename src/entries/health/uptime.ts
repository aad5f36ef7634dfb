import { dayOf, days, hours, type Instant, type Milliseconds } from '../../shared/time.ts'
import type { Run, Stats } from '../contract.ts'

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
  const firstAt = firstRunAt(history)
  const shares = periods.map(([name, period]) => {
    if (firstAt > now - period / 2) return [name, null]
    const { ok, fail } = countsSince(history, now - period, now)
    return [name, ok + fail === 0 ? null : ok / (ok + fail)]
  })
  return Object.fromEntries(shares)
}

export const areAllRunsStored = ({ runs, days: byDay }: RunHistory) =>
  byDay.reduce((sum, { ok, fail }) => sum + ok + fail, 0) <= runs.length

function firstRunAt(history: RunHistory): Instant {
  const { runs, days: byDay } = history
  const first = runs.at(-1)?.timestamp ?? Number.POSITIVE_INFINITY
  return areAllRunsStored(history) ? first : Math.min(first, ...byDay.slice(0, 1).map(({ day }) => Date.parse(day)))
}

function countsSince(history: RunHistory, since: Instant, now: Instant): Counts {
  const { runs, days: byDay } = history
  const oldest = runs.at(-1)?.timestamp ?? now
  if (areAllRunsStored(history) || oldest <= since) {
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
