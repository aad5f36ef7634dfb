import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { invalid } from '../../../shared/http-error.ts'
import type { Instant } from '../../../shared/time.ts'
import type { Db } from '../open.ts'
import { contains, containsInOrder, equals, isAscii, lowerCase } from './match.ts'
import { timeRange } from './time-range.ts'

type Of = Pick<Db, 'kind' | 'timestamp'>
type Value = RawBuilder<unknown>

/** How the rows of a list are searched and sorted by one of its columns. */
export type ListColumn = {
  /** What its filter finds, for the API's description. */
  finds: string
  /** Whether a row matches this text. Throws a 400 about the field `named` if nothing can be searched by it. */
  filter(db: Of, text: string, asked: { zone: string; named: string }): RawBuilder<SqlBool>
  /** What rows are sorted by. */
  sort(db: Of): Value
  /** Whether some rows have no value; they come last in either direction. */
  isNullable?: boolean
}

/** A longer pattern could take seconds to find in texts that nearly match. */
const longestPattern = 100
const isLongPattern = (way: keyof typeof ways, text: string) =>
  text.length > longestPattern && (way === 'fuzzy' || (way === 'includes' && !isAscii(text)))

const ways = { equals, includes: contains, fuzzy: containsInOrder }
const inWords = {
  equals: 'The whole text.',
  includes: 'A part of the text.',
  fuzzy: 'Letters of the text, in their order.',
}

/** A text that is searched in one of three ways, case ignored. */
export const textColumn = (column: Value, way: keyof typeof ways): ListColumn => ({
  finds: inWords[way],
  filter(db, text, { named }) {
    if (isLongPattern(way, text)) throw invalid(named, `Search for at most ${longestPattern} characters.`)
    return ways[way](db, lowerCase(db, column), text)
  },
  sort: (db) => lowerCase(db, column),
})

/** A value that is shown in words, of which one is typed. They are in the order of their values' names. */
export const wordColumn = (column: Value, words: Readonly<Record<number, string>>): ListColumn => {
  const named = Object.entries(words).map(([value, word]) => ({ value: Number(value), word: word.toLowerCase() }))
  const places = named
    .toSorted((a, b) => (a.word < b.word ? -1 : 1))
    .map(({ value }, place) => sql`when ${sql.lit(value)} then ${sql.lit(place)}`)
  return {
    finds: `One of ${Object.values(words).join(', ')}.`,
    filter(_db, text) {
      const [meant] = named.filter(({ word }) => word === text.toLowerCase())
      return meant ? sql`${column} = ${meant.value}` : sql`1 = 0`
    },
    sort: () => sql`case ${column} ${sql.join(places, sql` `)} end`,
  }
}

/** An instant, searched by what is shown of it. `stored` is how the column has it, if not in milliseconds. */
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
    const range = timeRange(text, zone)
    if (!range) throw invalid(named, 'Enter a day, month or year, such as 22/11/2026, 11/2026 or 2026.')
    return sql`${column} >= ${stored(db, range.from)} and ${column} < ${stored(db, range.until)}`
  },
  sort: () => column,
})
