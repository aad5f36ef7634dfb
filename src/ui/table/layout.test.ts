import { expect, test, vi } from 'vitest'
import { type Column, columnOf } from './column.ts'
import { fitWidths } from './layout.ts'

vi.stubGlobal('innerWidth', 0)

const column = (key: string, more: Partial<Column<object>> = {}): Column<object> => ({
  ...columnOf<object>(key, { title: key, search: 'equals' }, { value: () => null }),
  ...more,
})
const columns = [column('name', { width: 220, fillsWidth: true }), column('id'), column('url'), column('owner')]

test('columns are 200 px wide if there is room, and the growing one takes the rest', () => {
  expect(fitWidths(columns, {}, 900)).toEqual({ name: 300, id: 200, url: 200, owner: 200 })
  expect(fitWidths(columns, { url: 260 }, 900)).toEqual({ name: 240, id: 200, url: 260, owner: 200 })
})

test('columns shrink if there is less room, the ID first, but not below 100 px', () => {
  expect(fitWidths(columns, {}, 780)).toEqual({ name: 220, id: 160, url: 200, owner: 200 })
  expect(fitWidths(columns, {}, 600)).toEqual({ name: 220, id: 100, url: 140, owner: 140 })
  expect(fitWidths(columns, {}, 300)).toEqual({ name: 220, id: 100, url: 100, owner: 100 })
})

test('columns that were resized keep their width', () => {
  expect(fitWidths(columns, { name: 120, id: 300 }, 620)).toEqual({ name: 120, id: 300, url: 100, owner: 100 })
  expect(fitWidths(columns, { name: 500 }, 1_200)).toEqual({ name: 500, id: 200, url: 200, owner: 200 })
})
