import { type Instant, seconds } from '../shared/time.ts'

/** Smaller differences are ignored: Date headers have whole seconds, and a prefetched response predates its call. */
const tolerance = seconds(5)
let ahead = 0

/** The current time (ms) by the server's clock, because the browser's may be wrong. */
export const timeNow = (): Instant => Date.now() + ahead

/** Measures the browser clock's error by a response's Date header; both instants are from the browser's clock. */
export function hearTime(date: string | null, sentAt: Instant, heardAt: Instant): void {
  const at = Date.parse(date ?? '')
  if (Number.isNaN(at)) return
  const least = Math.max(at - heardAt, Math.min(at + seconds(1) - sentAt, 0))
  ahead = Math.abs(least) < tolerance ? 0 : least
}
