import type { Run, Stats } from '../contract.ts'

/** Figures over the kept runs; durations count where an answer came. */
export function statsOf(runs: readonly Run[], days: Stats['days']): Stats {
  const durations = runs
    .filter((run) => run.success)
    .flatMap((run) => run.duration ?? [])
    .sort((a, b) => a - b)
  const up = runs.length === 0 ? null : runs.filter((run) => run.success).length / runs.length
  return { up, median: quantile(durations, 0.5), p95: quantile(durations, 0.95), days }
}

/** The nearest-rank quantile of sorted values; null of none. */
const quantile = (sorted: readonly number[], q: number): number | null =>
  sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? null
