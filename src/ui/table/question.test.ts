import { describe, expect, it } from 'vitest'
import { browserZone } from '../format-time.ts'
import type { Column } from './column.ts'
import { firstRequest, firstRows, isLong, paramsOf, refusedSearches, requestOf } from './use-rows.ts'

const column = (key: string): Column<never> => ({ key, title: key, search: 'fuzzy', value: () => null, text: () => '' })
const columns = [column('url'), column('createdAt')]
const list = (state: object) => ({ columns, pageSize: 20, state: { filters: {}, sort: undefined, page: 1, ...state } })

describe('the request of a list', () => {
  it('has only its page while the list is unsorted', () => {
    expect(requestOf(list({ page: 3 }))).toEqual({ page: 3, size: 20, filter: {} })
  })
  it('has the sort column and its direction', () => {
    const sorted = requestOf(list({ sort: { key: 'url', descending: false } }))
    expect(sorted).toMatchObject({ sort: 'url', order: 'asc' })
  })
  it('omits an unknown sort column and blank searches', () => {
    const state = { sort: { key: 'color', descending: false }, filters: { url: '  ', createdAt: '2026' } }
    const request = requestOf(list(state))
    expect(request).toEqual({ page: 1, size: 20, filter: { createdAt: '2026' } })
  })
  it('is written with the parameter names of the call and the browser’s time zone', () => {
    const question = requestOf(list({ filters: { url: 'a b&c' } }))
    expect(paramsOf(question).toString()).toBe(
      `page=1&size=20&filter%5Burl%5D=a+b%26c&zone=${encodeURIComponent(browserZone())}`,
    )
  })
  it('has no time zone without a search', () => {
    expect(paramsOf(firstRequest).toString()).toBe('page=1&size=200')
  })
  it('asks first for up to 200 rows; a list with more rows counts as long', () => {
    expect(firstRequest).toEqual({ page: 1, size: 200, filter: {} })
    expect([isLong(undefined), isLong({ rows: [], total: 200 }), isLong({ rows: [], total: 201 })]).toEqual([
      false,
      false,
      true,
    ])
  })
})

it('finds the columns whose searches are refused, and ignores other errors', () => {
  expect(refusedSearches({ 'filter[createdAt]': 'Enter a day.' })).toEqual({ createdAt: 'Enter a day.' })
  expect(refusedSearches({ page: 'There is no such page.' })).toBeUndefined()
})

describe('the first response', () => {
  const rows = Array.from({ length: 200 }, (_, index) => ({ id: String(index) }))
  const ids = (state: object) => firstRows({ rows, total: 900 }, requestOf(list(state)))?.rows.map(({ id }) => id)
  it('contains the first pages of the list', () => {
    expect(ids({ page: 10 })).toEqual(rows.slice(180).map(({ id }) => id))
  })
  it('is not used for later pages, sorting or searches', () => {
    const states = [{ page: 11 }, { sort: { key: 'url', descending: true } }, { filters: { url: 'a' } }]
    expect(states.map(ids)).toEqual([undefined, undefined, undefined])
  })
})
