import type { Quiet } from './quiet.ts'
import type { Instant } from './time.ts'
import { firstAt, instantsOf, wallTime } from './zone.ts'

const aMinute = 60_000
const aDay = 1_440 * aMinute
const mostInARow = 16

/** When the quiet hours at this instant end; undefined if there are none. Adjacent windows count as one. */
export function quietUntil(quiet: Quiet, at: Instant): Instant | undefined {
  let until: Instant | undefined
  for (let count = 0; count < mostInARow; count += 1) {
    const end = endOfWindow(quiet, until ?? at)
    if (end === undefined) break
    until = end
  }
  return until
}

/** The quiet hours that overlap this period, in order and not clipped to it; adjacent windows are merged. */
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

const dayBefore = ({ zone }: Quiet, at: Instant): Instant => Math.floor(wallTime(zone, at) / aDay) * aDay - aDay

function windowOf({ zone, days, from, to }: Quiet, day: Instant): [begins: Instant, ends: Instant] | undefined {
  if (!days.includes(weekday(day))) return undefined
  return [startAt(zone, day + minutesOf(from)), endAt(zone, day + (to > from ? 0 : aDay) + minutesOf(to))]
}

/** From 1 for Monday to 7 for Sunday; 1970-01-01 was a Thursday. */
const weekday = (day: Instant): number => ((((day / aDay + 3) % 7) + 7) % 7) + 1

function minutesOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return (hour * 60 + minute) * aMinute
}

const startAt = (zone: string, wall: Instant) => instantsOf(zone, wall)[0] ?? skipAt(zone, wall)
const endAt = (zone: string, wall: Instant) => instantsOf(zone, wall).at(-1) ?? skipAt(zone, wall)

/** The first instant, to the minute, after the zone's clocks skip this time. */
function skipAt(zone: string, wall: Instant): Instant {
  let at = firstAt(zone, wall)
  while (wallTime(zone, at - aMinute) >= wall) at -= aMinute
  return at
}
