import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Column, compare, filterRows, matches, sortRows } from './column.ts'

const column = (search: Column<string>['search']): Column<string> => ({
  key: 'x',
  title: 'X',
  search,
  value: (row) => row,
  text: (row) => row,
})

describe('searching a column', () => {
  it('equals requires the whole text, in the same case', () => {
    expect(matches(column('equals'), 'a1b2', 'a1b2')).toBe(true)
    expect(matches(column('equals'), 'a1b2', 'a1')).toBe(false)
    expect(matches(column('equals'), 'a1b2', 'A1B2')).toBe(false)
  })
  it('word requires the whole text but ignores case, so that "active" does not match "Inactive"', () => {
    expect(matches(column('word'), 'Active', 'active')).toBe(true)
    expect(matches(column('word'), 'Inactive', 'active')).toBe(false)
  })
  it('includes matches any part of the text', () => {
    expect(matches(column('includes'), 'https://app.example/Health', 'health')).toBe(true)
  })
  it('fuzzy allows other characters between the letters', () => {
    expect(matches(column('fuzzy'), 'mira@example.com', 'miracom')).toBe(true)
    expect(matches(column('fuzzy'), 'mira@example.com', 'zzz')).toBe(false)
  })
  it('fuzzy requires the letters in order, for any text and query', () => {
    const letters = { unit: fc.constantFrom('a', 'B', 'b', '1', ' ', '-', '@') }
    const [text, query] = [fc.string({ ...letters, maxLength: 12 }), fc.string({ ...letters, maxLength: 4 })]
    const agrees = (text: string, query: string) =>
      matches(column('fuzzy'), text, query) === new RegExp([...query.trim()].join('.*'), 'i').test(text)
    fc.assert(fc.property(text, query, agrees), { numRuns: 2_000 })
  })
  it('fuzzy ignores accents', () => {
    expect(matches(column('fuzzy'), 'Søren Müller', 'sormul')).toBe(true)
    expect(matches(column('fuzzy'), 'Soren', 'sör')).toBe(true)
    expect(matches(column('fuzzy'), 'Søren Müller', 'mulsor')).toBe(false)
  })
  it('a row also matches if the column’s own rule accepts the query', () => {
    const masked: Column<string> = {
      ...column('includes'),
      text: () => '••••',
      alsoMatches: (row, query) => query.includes(row),
    }
    expect(matches(masked, 'a1b2', 'https://example.com/a1b2/token')).toBe(true)
    expect(matches(masked, 'a1b2', 'https://example.com/c3d4/token')).toBe(false)
    expect(matches(masked, 'a1b2', '••')).toBe(true)
  })
  it('every row matches a blank query', () => {
    expect(matches(column('equals'), 'anything', '  ')).toBe(true)
  })
})

it('sorts numbers by value, and digits within text as numbers', () => {
  expect([10, 9, 100].sort(compare)).toEqual([9, 10, 100])
  expect(['app10', 'App2', 'app1'].sort(compare)).toEqual(['app1', 'App2', 'app10'])
})

type Pet = { name: string; age: number | null }
const columns: readonly Column<Pet>[] = [
  { key: 'name', title: 'Name', search: 'fuzzy', value: (pet) => pet.name, text: (pet) => pet.name },
  { key: 'age', title: 'Age', search: 'equals', value: (pet) => pet.age, text: (pet) => String(pet.age ?? '–') },
]
const pets: readonly Pet[] = [
  { name: 'Rex', age: null },
  { name: 'Tom', age: 9 },
  { name: 'Roxy', age: 10 },
  { name: 'Max', age: 9 },
]
const names = (rows: readonly Pet[]) => rows.map((pet) => pet.name)

describe('finding rows', () => {
  it('keeps only rows that match every search', () => {
    expect(names(filterRows(pets, columns, { name: 'x' }))).toEqual(['Rex', 'Roxy', 'Max'])
    expect(names(filterRows(pets, columns, { name: 'x', age: '9' }))).toEqual(['Max'])
  })
  it('keeps the original order, instead of listing the closest match first', () => {
    expect(names(filterRows(pets, columns, { name: 'rx' }))).toEqual(['Rex', 'Roxy'])
  })
  it('keeps all rows without a search', () => {
    expect(filterRows(pets, columns, {})).toBe(pets)
  })
  it('searches the displayed text, including the dash for a missing value', () => {
    expect(names(filterRows(pets, columns, { age: '–' }))).toEqual(['Rex'])
  })
})

describe('ordering rows', () => {
  it('sorts by value rather than text, with missing values last in both directions', () => {
    expect(names(sortRows(pets, columns, { key: 'age', descending: false }))).toEqual(['Tom', 'Max', 'Roxy', 'Rex'])
    expect(names(sortRows(pets, columns, { key: 'age', descending: true }))).toEqual(['Roxy', 'Tom', 'Max', 'Rex'])
  })
  it('keeps the original order without a known sort column', () => {
    expect(sortRows(pets, columns, undefined)).toBe(pets)
    expect(sortRows(pets, columns, { key: 'colour', descending: false })).toBe(pets)
  })
})
