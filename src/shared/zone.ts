import type { Instant } from './time.ts'

const aDay = 86_400_000

/** Like `Date.UTC`, but doesn't add 1900 to years below 100. */
export const utc = (year: number, month: number, day: number): Instant =>
  new Date(0).setUTCFullYear(year, month - 1, day)

export function isZone(name: string): boolean {
  try {
    clockOf(name)
    return true
  } catch {
    return false
  }
}

/** The time that the zone's clocks show at this instant, encoded as if it were UTC. */
export const wallTime = (zone: string, at: Instant): Instant => at + offset(zone, at)

/** When clocks show this time, encoded as if it were UTC: two instants where they go back, none in a skip. */
export function instantsOf(zone: string, wall: Instant): Instant[] {
  const steady = steadyOffset(zone, wall)
  if (steady !== undefined) return [wall - steady]
  return [...new Set(around(zone, wall))].filter((at) => wallTime(zone, at) === wall)
}

/** The first instant at which the zone's clocks show this time, or a later one where they skip it. */
export const firstAt = (zone: string, wall: Instant): Instant =>
  around(zone, wall).find((at) => wallTime(zone, at) >= wall) ?? wall

/** The candidate instants by the zone's offsets of the day before and the day after, in order. */
const around = (zone: string, wall: Instant) =>
  [wall - offset(zone, wall - aDay), wall - offset(zone, wall + aDay)].sort((a, b) => a - b)

/** The zone's offset from UTC around this time; undefined if clocks change then. */
function steadyOffset(zone: string, wall: Instant): Instant | undefined {
  const day = Math.floor(wall / aDay)
  const first = offsetOnDay(zone, day - 1)
  return [day, day + 1, day + 2].every((one) => offsetOnDay(zone, one) === first) ? first : undefined
}

/** An offset takes microseconds to compute, and a month's view needs the same days many times. */
const daysOffsets = new Map<string, number>()
const mostDays = 20_000

function offsetOnDay(zone: string, day: number): number {
  const key = `${zone} ${day}`
  const cached = daysOffsets.get(key)
  if (cached !== undefined) return cached
  if (daysOffsets.size >= mostDays) daysOffsets.clear()
  const computed = offset(zone, day * aDay)
  daysOffsets.set(key, computed)
  return computed
}

/** The zone's offset from UTC in milliseconds. */
function offset(zone: string, at: Instant): number {
  const parts = clockOf(zone).formatToParts(at)
  const get = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  const isBefore = parts.some(({ type, value }) => type === 'era' && value.startsWith('B'))
  const day = utc(isBefore ? 1 - get('year') : get('year'), get('month'), get('day'))
  return day + (get('hour') * 3_600 + get('minute') * 60 + get('second')) * 1_000 - Math.floor(at / 1_000) * 1_000
}

/** Creating a formatter takes far longer than using it. Bounded, as a zone's name has many spellings. */
const clocks = new Map<string, Intl.DateTimeFormat>()
const mostClocks = 500

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const cached = clocks.get(timeZone)
  if (cached) return cached
  const clock = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  if (clocks.size >= mostClocks) clocks.clear()
  clocks.set(timeZone, clock)
  return clock
}
