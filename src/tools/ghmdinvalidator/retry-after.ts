import { type Instant, type Milliseconds, seconds } from '../../shared/time.ts'

/** How long an answer asks to wait, by its Retry-After in seconds or as a date; undefined when it does not. */
export function retryAfter(value: string | undefined, now: Instant): Milliseconds | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value.trim())) return seconds(Number(value))
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
