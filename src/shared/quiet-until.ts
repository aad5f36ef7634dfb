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

function endOfWindow({ zone, days, from, to }: Quiet, at: Instant): Instant | undefined {
  const today = Math.floor(wallTime(zone, at) / aDay) * aDay
  for (const day of [today - aDay, today]) {
    if (!days.includes(weekday(day))) continue
    const begins = startAt(zone, day + minutesOf(from))
    const ends = endAt(zone, day + (to > from ? 0 : aDay) + minutesOf(to))
    if (begins <= at && at < ends) return ends
  }
  return undefined
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
