import { describe, expect, it } from 'vitest'
import { zoneHere } from '../format-time.ts'
import type { Column } from './column.ts'
import { firstQuestion, firstRows, isLong, paramsOf, questionOf, refusedSearches } from './use-rows.ts'

const column = (key: string): Column<never> => ({ key, title: key, search: 'fuzzy', value: () => null, text: () => '' })
const columns = [column('url'), column('createdAt')]
const list = (state: object) => ({ columns, pageSize: 20, state: { filters: {}, sort: undefined, page: 1, ...state } })

describe('what a list asks the server', () => {
  it('is its page, in no order while it is sorted by no column', () => {
    expect(questionOf(list({ page: 3 }))).toEqual({ page: 3, size: 20, filter: {} })
  })
  it('is sorted by its column', () => {
    const sorted = questionOf(list({ sort: { key: 'url', descending: false } }))
    expect(sorted).toMatchObject({ sort: 'url', order: 'asc' })
  })
  it('leaves out an order by a column that it does not have, and searches for nothing', () => {
    const state = { sort: { key: 'color', descending: false }, filters: { url: '  ', createdAt: '2026' } }
    const asked = questionOf(list(state))
    expect(asked).toEqual({ page: 1, size: 20, filter: { createdAt: '2026' } })
  })
  it('is written as the names of the call, with the time zone of the reader', () => {
    const question = questionOf(list({ filters: { url: 'a b&c' } }))
    expect(paramsOf(question).toString()).toBe(
      `page=1&size=20&filter%5Burl%5D=a+b%26c&zone=${encodeURIComponent(zoneHere())}`,
    )
  })
  it('needs no time zone without a search', () => {
    expect(paramsOf(firstQuestion).toString()).toBe('page=1&size=200')
  })
  it('is at first for as many rows as one answer may have', () => {
    expect(firstQuestion).toEqual({ page: 1, size: 200, filter: {} })
    expect([isLong(undefined), isLong({ rows: [], total: 200 }), isLong({ rows: [], total: 201 })]).toEqual([
      false,
      false,
      true,
    ])
  })
})

it('finds the columns whose searches are refused, and nothing else', () => {
  expect(refusedSearches({ 'filter[createdAt]': 'Enter a day.' })).toEqual({ createdAt: 'Enter a day.' })
  expect(refusedSearches({ page: 'There is no such page.' })).toBeUndefined()
})

describe('the first answer', () => {
  const rows = Array.from({ length: 200 }, (_, index) => ({ id: String(index) }))
  const ids = (state: object) => firstRows({ rows, total: 900 }, questionOf(list(state)))?.rows.map(({ id }) => id)
  it('has the first pages of the list', () => {
    expect(ids({ page: 10 })).toEqual(rows.slice(180).map(({ id }) => id))
  })
  it('has no other page, order or search', () => {
    const asked = [{ page: 11 }, { sort: { key: 'url', descending: true } }, { filters: { url: 'a' } }]
    expect(asked.map(ids)).toEqual([undefined, undefined, undefined])
  })
})
