import { describe, expect, it } from 'vitest'
import type { Column } from './column.ts'
import { find, order } from './find.ts'

type Pet = { name: string; age: number | null }
const columns: readonly Column<Pet>[] = [
  { key: 'name', title: 'Name', filter: 'fuzzy', value: (pet) => pet.name, text: (pet) => pet.name },
  { key: 'age', title: 'Age', filter: 'equals', value: (pet) => pet.age, text: (pet) => String(pet.age ?? '–') },
]
const pets: readonly Pet[] = [
  { name: 'Rex', age: null },
  { name: 'Tom', age: 9 },
  { name: 'Roxy', age: 10 },
  { name: 'Max', age: 9 },
]
const names = (rows: readonly Pet[]) => rows.map((pet) => pet.name)

describe('finding rows', () => {
  it('wants every search box to let a row through', () => {
    expect(names(find(pets, columns, { name: 'x' }))).toEqual(['Rex', 'Roxy', 'Max'])
    expect(names(find(pets, columns, { name: 'x', age: '9' }))).toEqual(['Max'])
  })
  it('leaves them in the order they came, the closest match not first', () => {
    expect(names(find(pets, columns, { name: 'rx' }))).toEqual(['Rex', 'Roxy'])
  })
  it('keeps all of them while nothing is asked', () => {
    expect(find(pets, columns, {})).toBe(pets)
  })
  it('acts on the text shown, a dash included', () => {
    expect(names(find(pets, columns, { age: '–' }))).toEqual(['Rex'])
  })
})

describe('ordering rows', () => {
  it('goes by value, not by text, and puts what has none last either way', () => {
    expect(names(order(pets, columns, { key: 'age', descending: false }))).toEqual(['Tom', 'Max', 'Roxy', 'Rex'])
    expect(names(order(pets, columns, { key: 'age', descending: true }))).toEqual(['Roxy', 'Tom', 'Max', 'Rex'])
  })
  it('leaves them as they came without a column to go by', () => {
    expect(order(pets, columns, undefined)).toBe(pets)
    expect(order(pets, columns, { key: 'colour', descending: false })).toBe(pets)
  })
})
