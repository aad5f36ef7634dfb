import { days, type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'

/** A shorter wait is waited for, once. */
const longestWait = seconds(10)
/** Nobody means more: it would be forgotten why nothing runs. */
const longestPause = days(7)

/** When an answer asks to come back: `again` soon enough to wait for it, or to be left alone for this long (`wait`). Empty when it does not say. */
export type AskedWait = { again: Milliseconds } | { wait: Milliseconds } | Record<never, never>

/** What a Retry-After asks for. */
export function askedWait(value: string | undefined, now: Instant): AskedWait {
  const asked = retryAfter(value, now)
  if (asked === undefined) return {}
  return asked <= longestWait ? { again: asked } : { wait: Math.min(asked, longestPause) }
}

/** How long a Retry-After asks to wait, given in seconds or as a date; undefined when there is none to be read. */
export function retryAfter(value: string | undefined, now: Instant): Milliseconds | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value.trim())) return seconds(Number(value))
  const at = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** What an answer with this status said, and how long it asks to wait when that is more than a run may. */
export const answered = (status: number, asked: AskedWait): string =>
  'wait' in asked ? `answered ${status}, asks to wait ${Math.ceil(asked.wait / 1_000)} s` : `answered ${status}`
