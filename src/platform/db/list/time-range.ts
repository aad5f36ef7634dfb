import { firstAt, utc } from '../../../shared/quiet/zone.ts'
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
  const from = firstAt(zone, utc(year, month, day) + (hours * 3_600 + minute * 60 + second) * 1_000)
  return { from, until: from + 1_000 }
}

type Day = readonly [year: number, month: number, day: number]
const between = (zone: string, from: Day, until: Day): TimeRange => ({
  from: firstAt(zone, utc(...from)),
  until: firstAt(zone, utc(...until)),
})

const isDate = (...[year, month, day]: Day) => {
  const date = new Date(utc(year, month, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}
