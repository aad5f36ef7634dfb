import { hours, type Milliseconds, minutes } from '../../../../shared/time.ts'

const longestMonth = 31
const step = minutes(15)
const shortestDay = hours(1)
const wakesAt = hours(7)

/** The shortest quiet hours, until the morning, with which so many apps share a month's hours; null if there are none. */
export function fittingQuiet(
  budget: number,
  apps: number,
  sleepsAfter: Milliseconds,
): { from: string; to: string } | null {
  // One hour less, since a night may be set back.
  const awake = (hours(budget / apps) - hours(1)) / longestMonth
  const pinged = Math.floor((awake - sleepsAfter) / step) * step
  if (pinged < shortestDay || pinged >= hours(24)) return null
  return { from: timeOf(wakesAt + pinged), to: timeOf(wakesAt) }
}

function timeOf(at: Milliseconds): string {
  const minute = (at % hours(24)) / minutes(1)
  return [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':')
}
