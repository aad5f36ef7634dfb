import { formatDistanceToNowStrict } from 'date-fns'
import type { Instant, Milliseconds } from '../shared/time.ts'

/** Timestamps of ten digits are in seconds, all others in milliseconds. */
const inMilliseconds = (at: number): Instant => (Math.trunc(Math.abs(at)).toString().length === 10 ? at * 1_000 : at)

const two = (count: number) => String(count).padStart(2, '0')

/** `dd/MM/yyyy hh:mm:ss a`, without a library: a list formats thousands of them before it can be searched. */
function written(at: Instant): string {
  const date = new Date(at)
  const hours = date.getHours()
  const day = `${two(date.getDate())}/${two(date.getMonth() + 1)}/${String(date.getFullYear()).padStart(4, '0')}`
  const time = `${two(hours % 12 || 12)}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  return `${day} ${time} ${hours < 12 ? 'AM' : 'PM'}`
}

/** `21/11/2026 03:04:05 PM` in the browser's time zone; an en dash if there is no instant. */
export const formatTime = (at: number | null | undefined): string =>
  at === null || at === undefined ? '–' : written(inMilliseconds(at))

/** `5 minutes ago`, `in 5 minutes`. */
export function formatAge(at: number | null | undefined): string {
  if (at === null || at === undefined) return '–'
  const instant = inMilliseconds(at)
  if (Math.abs(instant - Date.now()) < 1_000) return 'just now'
  return formatDistanceToNowStrict(instant, { addSuffix: true })
}

/** `850 ms`, `1.4 s`, `60 s`. */
export function formatDuration(duration: Milliseconds): string {
  if (duration < 1_000) return `${Math.round(duration)} ms`
  const seconds = duration / 1_000
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
}

/** `28 minutes`, `12 hours`, `90 seconds`. */
export function formatInterval(interval: Milliseconds): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ] as const
  for (const [name, size] of units) {
    const count = interval / size
    if (Number.isInteger(count)) return count === 1 ? `1 ${name}` : `${count} ${name}s`
  }
  return formatDuration(interval)
}
