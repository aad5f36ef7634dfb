import type { Instant, Milliseconds } from '../../src/shared/time.ts'

/** The wall clock with fractions of a millisecond, comparable between all processes of a machine. */
export const preciseNow = (): Instant => performance.timeOrigin + performance.now()

export const usage = (): Usage => {
  const { user, system } = process.cpuUsage()
  const peak = process.resourceUsage().maxRSS * 1_024
  return { cpu: (user + system) / 1_000, rss: process.memoryUsage.rss(), peak, at: preciseNow() }
}
/** `rss` and `peak` are the current and maximum memory in bytes. */
export type Usage = { cpu: Milliseconds; rss: number; peak: number; at: Instant }

/** The value that this share (0–1) of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}
export const median = (values: readonly number[]): number => quantile(values, 0.5)
