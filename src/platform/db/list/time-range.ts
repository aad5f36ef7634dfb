import type { Instant } from '../../../shared/time.ts'

/** From this instant on, until before that one. */
export type TimeRange = { from: Instant; until: Instant }

const shown = /^(?:(?:(\d{1,2})\/)?(\d{1,2})\/)?(\d{4})$/
const exact = /^(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d\d):(\d\d) ([AP])M$/i

/** The instants that are shown as this day, month or year in a time zone (`22/11/2026`, `11/2026`, `2026`), or as this very time; undefined for any other text. */
export function timeRange(text: string, zone: string): TimeRange | undefined {
  const [, day, month, year] = shown.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return timeOf(text, zone)
  if (Number.isNaN(month)) return between(zone, [year, 1, 1], [year + 1, 1, 1])
  if (Number.isNaN(day))
    return isDate(year, month, 1) ? between(zone, [year, month, 1], [year, month + 1, 1]) : undefined
  return isDate(year, month, day) ? between(zone, [year, month, day], [year, month, day + 1]) : undefined
}

function timeOf(text: string, zone: string): TimeRange | undefined {
  const parts = exact.exec(text)
  if (!parts) return undefined
  const [day = 0, month = 0, year = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number)
  if (!isDate(year, month, day) || hour < 1 || hour > 12 || minute > 59 || second > 59) return undefined
  const hours = (hour % 12) + (parts[7]?.toUpperCase() === 'P' ? 12 : 0)
  const from = first(zone, utc(year, month, day) + (hours * 3_600 + minute * 60 + second) * 1_000)
  return { from, until: from + 1_000 }
}

type Day = readonly [year: number, month: number, day: number]
const between = (zone: string, from: Day, until: Day): TimeRange => ({
  from: first(zone, utc(...from)),
  until: first(zone, utc(...until)),
})

/** Without the rule of `Date.UTC` that years below 100 are of the last century. */
const utc = (...[year, month, day]: Day): Instant => new Date(0).setUTCFullYear(year, month - 1, day)

const isDate = (...[year, month, day]: Day) => {
  const date = new Date(utc(year, month, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

const aDay = 86_400_000

/** The first instant at which clocks of this zone show this time, given as if it were UTC, or a later one where they skip it. */
function first(zone: string, wall: Instant): Instant {
  const possible = [wall - offset(zone, wall - aDay), wall - offset(zone, wall + aDay)].sort((a, b) => a - b)
  return possible.find((at) => at + offset(zone, at) >= wall) ?? wall
}

/** How far the clocks of this zone are ahead of UTC at this instant, in milliseconds. */
function offset(zone: string, at: Instant): number {
  const parts = clockOf(zone).formatToParts(at)
  const get = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  const isBefore = parts.some(({ type, value }) => type === 'era' && value.startsWith('B'))
  const day = utc(isBefore ? 1 - get('year') : get('year'), get('month'), get('day'))
  return day + (get('hour') * 3_600 + get('minute') * 60 + get('second')) * 1_000 - Math.floor(at / 1_000) * 1_000
}

const clockOf = (timeZone: string) =>
  new Intl.DateTimeFormat('en', {
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
