import { describe, expect, it } from 'vitest'
import { browserZone } from '../format-time.ts'
import type { Column } from './column.ts'
import { firstRows, isLong, paramsOf, refusedSearches } from './use-rows.ts'

type Row = { id: string }
const column = (key: string): Column<Row> => ({ key, title: key, search: 'fuzzy', value: () => null, text: () => '' })
const columns = [column('url'), column('createdAt')]
const list = (state: object) => ({ columns, pageSize: 20, state: { filters: {}, sort: undefined, page: 1, ...state } })

describe('the parameters of a list', () => {
  const page = { page: 3, size: 20 }
  const zone = `zone=${encodeURIComponent(browserZone())}`
  it.each([
    ['only its page while the list is unsorted', {}, ''],
    ['the sort column and its direction', { sort: { key: 'url', descending: false } }, '&sort=url&order=asc'],
    ['the other direction', { sort: { key: 'url', descending: true } }, '&sort=url&order=desc'],
    ['no unknown sort column', { sort: { key: 'color', descending: false } }, ''],
    ['no blank searches', { filters: { url: '  ', createdAt: '2026' } }, `&filter%5BcreatedAt%5D=2026&${zone}`],
    ['searches with the browser’s time zone', { filters: { url: 'a b&c' } }, `&filter%5Burl%5D=a+b%26c&${zone}`],
  ])('are %s', (_what, state, params) => {
    expect(String(paramsOf(list(state), page))).toBe(`page=3&size=20${params}`)
  })
  it('a list with more than 200 rows counts as long', () => {
    const isLongWith = (total: number) => isLong({ rows: [], total })
    expect([isLong(undefined), isLongWith(200), isLongWith(201)]).toEqual([false, false, true])
  })
})

it('finds the columns whose searches are refused, and ignores other errors', () => {
  expect(refusedSearches({ 'filter[createdAt]': 'Enter a day.' })).toEqual({ createdAt: 'Enter a day.' })
  expect(refusedSearches({ page: 'There is no such page.' })).toBeUndefined()
})

describe('the first response', () => {
  const rows = Array.from({ length: 200 }, (_, index) => ({ id: String(index) }))
  const ids = (state: object) => firstRows({ rows, total: 900 }, list(state))?.rows.map(({ id }) => id)
  it('contains the first pages of the list', () => {
    expect(ids({ page: 10 })).toEqual(rows.slice(180).map(({ id }) => id))
  })
  it('is not used for later pages, sorting or searches', () => {
    const states = [{ page: 11 }, { sort: { key: 'url', descending: true } }, { filters: { url: 'a' } }]
    expect(states.map(ids)).toEqual([undefined, undefined, undefined])
  })
})
