import { type Instant, seconds } from '../shared/time.ts'

/** Smaller differences are ignored: Date headers have whole seconds, and a prefetched response predates its call. */
const tolerance = seconds(5)
let clockOffset = 0

/** The current time (ms) by the server's clock, because the browser's may be wrong. */
export const timeNow = (): Instant => Date.now() + clockOffset

/** Measures the browser clock's error by a response's Date header; both instants are from the browser's clock. */
export function updateClockOffset(date: string | null, sentAt: Instant, receivedAt: Instant): void {
  const at = Date.parse(date ?? '')
  if (Number.isNaN(at)) return
  const least = Math.max(at - receivedAt, Math.min(at + seconds(1) - sentAt, 0))
  clockOffset = Math.abs(least) < tolerance ? 0 : least
}
