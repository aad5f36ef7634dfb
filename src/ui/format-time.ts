import { days, hours, type Instant, type Milliseconds, minutes, seconds } from '../shared/time.ts'
import { timeNow } from './time-now.ts'

/** Ten-digit timestamps are in seconds, all others in milliseconds. */
const inMilliseconds = (at: number): Instant => (Math.trunc(Math.abs(at)).toString().length === 10 ? at * 1_000 : at)

const padTwo = (count: number) => String(count).padStart(2, '0')

/** `dd/MM/yyyy hh:mm:ss a`. Handwritten for speed: searching a list formats thousands of these first. */
function formatDateTime(at: Instant): string {
  const date = new Date(at)
  const hours = date.getHours()
  const day = `${padTwo(date.getDate())}/${padTwo(date.getMonth() + 1)}/${String(date.getFullYear()).padStart(4, '0')}`
  const time = `${padTwo(hours % 12 || 12)}:${padTwo(date.getMinutes())}:${padTwo(date.getSeconds())}`
  return `${day} ${time} ${hours < 12 ? 'AM' : 'PM'}`
}

/** `21/11/2026 03:04:05 PM` in the browser's time zone; an en dash if there is no instant. */
export const formatTime = (at: number | null | undefined): string =>
  at === null || at === undefined ? '–' : formatDateTime(inMilliseconds(at))

let zone: string | undefined
/** This browser's time zone, looked up on first use because that takes 15 ms. */
export function browserZone(): string {
  zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone
  return zone
}

/** `Europe/Berlin (UTC+1)`: the browser's time zone with its UTC offset at an instant. */
export function formatZone(at: Instant): string {
  const zone = browserZone()
  const ahead = -new Date(inMilliseconds(at)).getTimezoneOffset()
  if (ahead === 0) return zone === 'UTC' ? zone : `${zone} (UTC)`
  const minutes = Math.abs(ahead) % 60
  const hours = `${ahead < 0 ? '-' : '+'}${Math.floor(Math.abs(ahead) / 60)}`
  return `${zone} (UTC${hours}${minutes === 0 ? '' : `:${padTwo(minutes)}`})`
}

/** The tooltip of a time: this text, followed by the time zone if there is an instant. */
export const withZone = (words: string, at: number | null | undefined): string =>
  at === null || at === undefined ? words : `${words} · ${formatZone(at)}`

/** The tooltip of an age: `21/11/2026 03:04:05 PM · Europe/Berlin (UTC+1)`. */
export const formatTimeInZone = (at: number | null | undefined): string => withZone(formatTime(at), at)

/** Rewrites the UTC times in a server message as local times. */
export const withLocalTimes = (text: string): string =>
  text.replace(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g, (_, day, time) => formatTime(Date.parse(`${day}T${time}Z`)))

/** `21/11/2026` in the browser's time zone. */
export const formatDay = (at: Instant): string => formatDateTime(at).slice(0, 'dd/MM/yyyy'.length)

/** `09:12` for today, `21/11 09:12` for this year, otherwise `21/11/2025`. */
export function formatSince(at: Instant): string {
  const [then, now] = [new Date(at), new Date(timeNow())]
  const day = `${padTwo(then.getDate())}/${padTwo(then.getMonth() + 1)}`
  if (then.getFullYear() !== now.getFullYear()) return `${day}/${then.getFullYear()}`
  const time = `${padTwo(then.getHours())}:${padTwo(then.getMinutes())}`
  return then.toDateString() === now.toDateString() ? time : `${day} ${time}`
}

/** Sorted from largest to smallest, because formatters pick the first unit that fits. */
const units = [
  ['year', days(365)],
  ['month', days(30)],
  ['day', days(1)],
  ['hour', hours(1)],
  ['minute', minutes(1)],
  ['second', seconds(1)],
] as const

/** `5 minutes ago`, `in 5 minutes`: worded like `Intl`, but without the 20 ms its first formatter takes to create. */
export function formatAge(at: number | null | undefined): string {
  if (at === null || at === undefined) return '–'
  const ahead = inMilliseconds(at) - timeNow()
  const distance = Math.abs(ahead)
  for (const [name, size] of units) {
    if (distance < size) continue
    const words = countOf(Math.round(distance / size), name)
    return ahead < 0 ? `${words} ago` : `in ${words}`
  }
  return 'just now'
}

/** `850 ms`, `1.4 s`, `60 s`. */
export function formatDuration(duration: Milliseconds): string {
  if (duration < 1_000) return `${Math.round(duration)} ms`
  const seconds = duration / 1_000
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
}

const countOf = (count: number, unit: string) => (count === 1 ? `1 ${unit}` : `${count} ${unit}s`)

/** `42 seconds`, `3 hours`: a duration in its largest unit. */
export function formatSpan(span: Milliseconds): string {
  const [name, size] = units.find(([, size]) => span >= size) ?? ['second', seconds(1)]
  return countOf(Math.max(1, Math.round(span / size)), name)
}

/** `28 minutes`, `12 hours`, `90 seconds`. */
export function formatInterval(interval: Milliseconds): string {
  for (const [name, size] of units.slice(2)) {
    const count = interval / size
    if (Number.isInteger(count)) return countOf(count, name)
  }
  return formatDuration(interval)
}
