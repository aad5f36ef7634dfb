import type { Quiet } from './quiet.ts'
import type { Instant } from './time.ts'
import { firstAt, instantsOf, wallTime } from './zone.ts'

const aMinute = 60_000
const aDay = 1_440 * aMinute
const mostInARow = 16

/** When the quiet that there is at this instant ends; undefined if there is none. Windows that touch are one. */
export function quietUntil(quiet: Quiet, at: Instant): Instant | undefined {
  let until: Instant | undefined
  for (let count = 0; count < mostInARow; count += 1) {
    const end = endOfWindow(quiet, until ?? at)
    if (end === undefined) break
    until = end
  }
  return until
}

/** The quiet between two instants, in order, also what begins before or ends after; windows that touch are one. */
export function quietBetween(quiet: Quiet, since: Instant, until: Instant): [begins: Instant, ends: Instant][] {
  const windows: [Instant, Instant][] = []
  const last = wallTime(quiet.zone, until)
  for (let day = dayBefore(quiet, since); day <= last; day += aDay) {
    const window = windowOf(quiet, day)
    if (!window || window[1] <= since || window[0] >= until) continue
    const before = windows.at(-1)
    if (before && window[0] <= before[1]) before[1] = Math.max(before[1], window[1])
    else windows.push(window)
  }
  return windows
}

function endOfWindow(quiet: Quiet, at: Instant): Instant | undefined {
  const yesterday = dayBefore(quiet, at)
  for (const day of [yesterday, yesterday + aDay]) {
    const [begins, ends] = windowOf(quiet, day) ?? [at, at]
    if (begins <= at && at < ends) return ends
  }
  return undefined
}

/** The day before that of an instant, by the clocks of the zone. */
const dayBefore = ({ zone }: Quiet, at: Instant): Instant => Math.floor(wallTime(zone, at) / aDay) * aDay - aDay

/** The window that begins on this day. */
function windowOf({ zone, days, from, to }: Quiet, day: Instant): [begins: Instant, ends: Instant] | undefined {
  if (!days.includes(weekday(day))) return undefined
  return [startAt(zone, day + minutesOf(from)), endAt(zone, day + (to > from ? 0 : aDay) + minutesOf(to))]
}

/** 1970-01-01 was a Thursday. */
const weekday = (day: Instant): number => ((((day / aDay + 3) % 7) + 7) % 7) + 1

function minutesOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return (hour * 60 + minute) * aMinute
}

const startAt = (zone: string, wall: Instant) => instantsOf(zone, wall)[0] ?? skipAt(zone, wall)
const endAt = (zone: string, wall: Instant) => instantsOf(zone, wall).at(-1) ?? skipAt(zone, wall)

/** When the clocks of this zone skip this time: the first instant after it, to the minute. */
function skipAt(zone: string, wall: Instant): Instant {
  let at = firstAt(zone, wall)
  while (wallTime(zone, at - aMinute) >= wall) at -= aMinute
  return at
}
