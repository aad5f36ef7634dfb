import { type Instant, seconds } from '../shared/time.ts'

/** Dates of answers have whole seconds, and an answer that was fetched ahead is older than its call. */
const tolerance = seconds(5)
let ahead = 0

/** The current time (ms) by the server's clock, since the browser's may be wrong. */
export const timeNow = (): Instant => Date.now() + ahead

/** Learns from the Date of an answer how wrong the browser's clock is, by which its call was sent and answered at these instants. */
export function hearTime(date: string | null, sentAt: Instant, heardAt: Instant): void {
  const at = Date.parse(date ?? '')
  if (Number.isNaN(at)) return
  const least = Math.max(at - heardAt, Math.min(at + seconds(1) - sentAt, 0))
  ahead = Math.abs(least) < tolerance ? 0 : least
}
