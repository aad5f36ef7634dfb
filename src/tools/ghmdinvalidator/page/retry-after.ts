import { days, type Instant, type Milliseconds, seconds } from '../../../shared/time.ts'

/** A run waits at most this long, once. */
const longestWait = seconds(10)
/** A longer pause is surely a mistake, and nobody would know why nothing runs. */
const longestPause = days(7)

/** `again`: a wait short enough for the run. `wait`: a longer one, for the next turn. Empty if none was asked for. */
type AskedWait = { again: Milliseconds } | { wait: Milliseconds } | Record<never, never>

export function askedWait(value: string | undefined, now: Instant): AskedWait {
  const asked = retryAfter(value, now)
  if (asked === undefined) return {}
  return asked <= longestWait ? { again: asked } : { wait: Math.min(asked, longestPause) }
}

/** How long a Retry-After asks us to wait, given in seconds or as a date; undefined if it can't be read. */
function retryAfter(value: string | undefined, now: Instant): Milliseconds | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value.trim())) return seconds(Number(value))
  const at = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** The note on an answer with this status, with the wait that it asks for if that is too long for a run. */
export const answered = (status: number, asked: AskedWait): string =>
  'wait' in asked ? `answered ${status}, asks to wait ${Math.ceil(asked.wait / 1_000)} s` : `answered ${status}`
