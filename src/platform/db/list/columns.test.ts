import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { invalid } from '../../../shared/http-error.ts'
import { textColumn, timeRanges } from './columns.ts'

const db = { kind: 'sqlite', timestamp: (at: number) => new Date(at).toISOString() } as const
const filter = (way: 'equals' | 'includes' | 'fuzzy', text: string) => () =>
  textColumn(sql.ref('url'), way).filter(db, text, { zone: 'UTC', named: 'filter[url]' })

test('a long text can be searched for literally, but not as a pattern', () => {
  const [plain, withAccent] = ['a'.repeat(2_000), `${'a'.repeat(100)}é`]
  for (const accepted of [filter('includes', plain), filter('equals', withAccent), filter('fuzzy', 'é'.repeat(100))])
    expect(accepted).not.toThrow()
  for (const refused of [filter('includes', withAccent), filter('fuzzy', plain)])
    expect(refused).toThrow(invalid('filter[url]', 'Search for at most 100 characters.'))
})

/** Zones whose clocks change at midnight, by half an hour, by a whole day, or not at all. */
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Beirut',
  'America/Havana',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Pacific/Apia',
]

const shownIn = (timeZone: string, at: number) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, day: '2-digit', month: '2-digit', year: 'numeric' }).format(at)

test('a day, month or year includes exactly the instants that are displayed as such', () => {
  const from = Date.UTC(2005, 0, 1)
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: from, max: Date.UTC(2027, 0, 1) }),
      fc.constantFrom(0, 3, 6),
      (zone, at, start) => {
        const partOf = (instant: number) => shownIn(zone, instant).slice(start)
        const text = partOf(at)
        const range = timeRanges(text, zone)![0]!
        expect(range.from <= at && at < range.until, `${text} in ${zone}`).toBe(true)
        expect([partOf(range.from), partOf(range.until - 1)]).toEqual([text, text])
        expect(partOf(range.from - 1)).not.toBe(text)
        expect(partOf(range.until)).not.toBe(text)
      },
    ),
    { numRuns: 500 },
  )
})

test.each([
  ['America/Sao_Paulo', '04/11/2018', '2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z'],
  ['America/Havana', '01/11/2026', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
  ['Pacific/Apia', '30/12/2011', '2011-12-30T10:00:00Z', '2011-12-30T10:00:00Z'],
  ['Europe/Berlin', '2026', '2025-12-31T23:00:00Z', '2026-12-31T23:00:00Z'],
  ['Europe/Berlin', '3/2026', '2026-02-28T23:00:00Z', '2026-03-31T22:00:00Z'],
  ['UTC', '22/11/2026 12:00:05 AM', '2026-11-22T00:00:05Z', '2026-11-22T00:00:06Z'],
  ['Europe/Berlin', '22/11/2026 03:04:05 pm', '2026-11-22T14:04:05Z', '2026-11-22T14:04:06Z'],
])('in %s, %s is from %s until %s', (zone, text, from, until) => {
  expect(timeRanges(text, zone)).toEqual([{ from: Date.parse(from), until: Date.parse(until) }])
})

test.each([
  '',
  'yesterday',
  '22/11',
  '22/11/26',
  '31/02/2026',
  '13/2026',
  '0/2026',
  '2026-11-22',
  '22/11/2026 13:00:00 PM',
  '22/11/2026 3 PM',
])('rejects %j as a time range', (text) => {
  expect(timeRanges(text, 'UTC')).toBeUndefined()
})
