import * as z from 'zod/mini'
import type { Instant } from './time.ts'
import { firstAt, instantsOf, isZone, wallTime } from './zone.ts'

const aMinute = 60_000
const aDay = 1_440 * aMinute
const mostInARow = 16

const Zone = z
  .string({ error: 'Enter a time zone, such as Europe/Berlin.' })
  .check(z.maxLength(64), z.refine(isZone, { error: 'Enter a time zone, such as Europe/Berlin.' }))
const time = { error: 'Enter a time from 00:00 to 23:59.' }
const Time = z.string(time).check(z.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, time))
const Day = z.int({ error: 'Use days from 1 (Monday) to 7 (Sunday).' }).check(z.minimum(1), z.maximum(7))

/** Hours of quiet: one window a day, which may pass midnight and belongs to the day on which it begins; Monday is 1. */
export const Quiet = z
  .strictObject({
    zone: Zone,
    days: z.array(Day).check(
      z.minLength(1, { error: 'Choose at least one day.' }),
      z.refine((days) => new Set(days).size === days.length, { error: 'Use each day only once.' }),
    ),
    from: Time,
    to: Time,
  })
  .check(z.refine(({ from, to }) => from !== to, { error: 'Choose two different times.', path: ['to'] }))
export type Quiet = z.infer<typeof Quiet>

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
