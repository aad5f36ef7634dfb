import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { invalid } from '../../../shared/http-error.ts'
import type { Instant } from '../../../shared/time.ts'
import { firstAt, instantsOf, utc } from '../../../shared/zone.ts'
import type { Db } from '../open.ts'
import { contains, containsInOrder, equals, isAscii, lowerCase } from './match.ts'

/** Includes `from`, excludes `until`. */
type TimeRange = { from: Instant; until: Instant }

const datePattern = /^(?:(?:(\d{1,2})\/)?(\d{1,2})\/)?(\d{4})$/
const exact = /^(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}):(\d\d):(\d\d) ([AP])M$/i

/**
 * Instants shown as this day, month, year (`22/11/2026`, `11/2026`, `2026`) or time; undefined for other text.
 * A time is in two ranges where clocks go back over it, and in none where they skip it.
 */
export function timeRanges(text: string, zone: string): TimeRange[] | undefined {
  const [, day, month, year] = datePattern.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return timesOf(text, zone)
  if (Number.isNaN(month)) return [between(zone, [year, 1, 1], [year + 1, 1, 1])]
  if (Number.isNaN(day))
    return isDate(year, month, 1) ? [between(zone, [year, month, 1], [year, month + 1, 1])] : undefined
  return isDate(year, month, day) ? [between(zone, [year, month, day], [year, month, day + 1])] : undefined
}

function timesOf(text: string, zone: string): TimeRange[] | undefined {
  const parts = exact.exec(text)
  if (!parts) return undefined
  const [day = 0, month = 0, year = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number)
  if (!isDate(year, month, day) || hour < 1 || hour > 12 || minute > 59 || second > 59) return undefined
  const hours = (hour % 12) + (parts[7]?.toUpperCase() === 'P' ? 12 : 0)
  const wall = utc(year, month, day) + (hours * 3_600 + minute * 60 + second) * 1_000
  return instantsOf(zone, wall).map((from) => ({ from, until: from + 1_000 }))
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

type Of = Pick<Db, 'kind' | 'timestamp'>
type Value = RawBuilder<unknown>

export type ListColumn = {
  /** What the column's filter matches, for the API description. */
  finds: string
  /** The condition that a row matches this text. Throws a 400 about the field `named` if the text is invalid. */
  filter(db: Of, text: string, options: { zone: string; named: string }): RawBuilder<SqlBool>
  sort(db: Of): Value
  /** Whether some rows have no value; these are last in either direction. */
  isNullable?: boolean
}

/** Searching for a longer pattern could take seconds in texts that nearly match it. */
const longestPattern = 100
const isLongPattern = (mode: keyof typeof ways, text: string) =>
  text.length > longestPattern && (mode === 'fuzzy' || (mode === 'includes' && !isAscii(text)))

const ways = { equals, includes: contains, fuzzy: containsInOrder }
const inWords = {
  equals: 'The whole text.',
  includes: 'A part of the text.',
  fuzzy: 'Letters of the text, in their order.',
}

/** A text that is searched in one of three ways, ignoring case. */
export const textColumn = (column: Value, mode: keyof typeof ways): ListColumn => ({
  finds: inWords[mode],
  filter(db, text, { named }) {
    if (isLongPattern(mode, text)) throw invalid(named, `Search for at most ${longestPattern} characters.`)
    return ways[mode](db, lowerCase(db, column), text)
  },
  sort: (db) => lowerCase(db, column),
})

/** A value that is displayed as one of these words, and is filtered and sorted by that word. */
export const labelColumn = (column: Value, words: Readonly<Record<number, string>>): ListColumn => {
  const named = Object.entries(words).map(([value, word]) => ({ value: Number(value), word: word.toLowerCase() }))
  const places = named
    .toSorted((a, b) => (a.word < b.word ? -1 : 1))
    .map(({ value }, place) => sql`when ${sql.lit(value)} then ${sql.lit(place)}`)
  return {
    finds: `One of ${Object.values(words).join(', ')}.`,
    filter(_db, text) {
      const [match] = named.filter(({ word }) => word === text.toLowerCase())
      return match ? sql`${column} = ${match.value}` : sql`1 = 0`
    },
    sort: () => sql`case ${column} ${sql.join(places, sql` `)} end`,
  }
}

/** An instant, searched as it is shown. `stored` converts it to the column's form if that isn't milliseconds. */
export const timeColumn = (
  column: Value,
  {
    stored = (_db, at) => at,
    isNullable = false,
  }: { stored?: (db: Of, at: Instant) => unknown; isNullable?: boolean } = {},
): ListColumn => ({
  finds: 'A day, month or year as shown (22/11/2026, 11/2026, 2026) in `zone`.',
  isNullable,
  filter(db, text, { zone, named }) {
    if (text === '–' || text === '-') return sql`${column} is null`
    const ranges = timeRanges(text, zone)
    if (!ranges) throw invalid(named, 'Enter a day, month or year, such as 22/11/2026, 11/2026 or 2026.')
    const conditions = ranges.map(
      ({ from, until }) => sql`${column} >= ${stored(db, from)} and ${column} < ${stored(db, until)}`,
    )
    return conditions.length > 0 ? sql`(${sql.join(conditions, sql` or `)})` : sql`1 = 0`
  },
  sort: () => column,
})
