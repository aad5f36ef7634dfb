import { rankItem } from '@tanstack/match-sorter-utils'
import type { ReactNode } from 'react'
import type { ListState, Sort } from './list-state.ts'

/** A column of a list: what it sorts by, the text it filters by, and how it looks. */
export type Column<Row> = {
  key: string
  title: string
  filter: 'equals' | 'equalsString' | 'includesString' | 'fuzzy'
  /** What rows are sorted by; null sorts last either way. */
  value: (row: Row) => string | number | null
  /** The text shown, which the search box acts on. */
  text: (row: Row) => string
  /** Whether what is typed means this row, though its text does not say so. */
  means?: (row: Row, query: string) => boolean
  /** How the cell looks when it is more than its text. */
  show?: (row: Row) => ReactNode
  /** What a pointer at rest is told; the text itself when left out. */
  tip?: (row: Row) => string
  /** By it a phone names the row; by the first column when none says so. */
  lead?: true
  /** Pixels it starts with, where that is not 200. */
  width?: number
}

/** The column with each row's text written once: a search looks at all of them. */
export function rememberTexts<Row extends object>(column: Column<Row>): Column<Row> {
  const texts = new WeakMap<Row, string>()
  const text = (row: Row) => {
    const known = texts.get(row)
    if (known !== undefined) return known
    const written = column.text(row)
    texts.set(row, written)
    return written
  }
  return { ...column, text }
}

const same = (text: string) => text.trim().toLowerCase()

const passes: Record<Column<never>['filter'], (text: string, query: string) => boolean> = {
  equals: (text, query) => text === query.trim(),
  equalsString: (text, query) => same(text) === same(query),
  includesString: (text, query) => same(text).includes(same(query)),
  fuzzy: (text, query) => inOrder(text, query.trim()),
}

const plain = /^[ -~]*$/

/** Whether the query's letters are in the text, in their order; case and accents are ignored. */
function inOrder(text: string, query: string): boolean {
  // What has no accents needs no ranking to know, and thousands of rows are asked at once.
  if (!plain.test(text) || !plain.test(query)) return rankItem(text, query).passed
  const [letters, wanted] = [text.toLowerCase(), query.toLowerCase()]
  let at = -1
  for (const letter of wanted) {
    at = letters.indexOf(letter, at + 1)
    if (at === -1) return false
  }
  return true
}

/** Whether the row stays when this is typed into the column's search box. */
export const matches = <Row>(column: Column<Row>, row: Row, query: string): boolean =>
  query.trim() === '' || passes[column.filter](column.text(row), query) || column.means?.(row, query) === true

/** Orders two values that are there; text as people count: `app2` before `app10`. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return collator.compare(String(a), String(b))
}
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** The rows that every search box lets through, in the order they came. */
export function find<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  filters: ListState['filters'],
): readonly Row[] {
  const asked = columns.flatMap((column) => {
    const query = filters[column.key]
    return query === undefined ? [] : [{ column, query }]
  })
  if (asked.length === 0) return rows
  return rows.filter((row) => asked.every(({ column, query }) => matches(column, row, query)))
}

/** The rows by the value of the sorted column; rows without one come last either way, equals stay as they were. */
export function order<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | undefined,
): readonly Row[] {
  const column = columns.find(({ key }) => key === sort?.key)
  if (!column) return rows
  const direction = sort?.descending ? -1 : 1
  return rows
    .map((row) => ({ row, value: column.value(row) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null)
      return direction * compare(a.value, b.value)
    })
    .map(({ row }) => row)
}
