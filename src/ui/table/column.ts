import type { ReactNode } from 'react'
import type { ColumnSearch, ColumnTerms } from '../../shared/list-terms.ts'
import { formatAge, formatTime, withZone } from '../format-time.ts'

export type Sort = { key: string; descending: boolean }
/** The searches, sorting and page of a list, kept in the address so that they can be shared and survive going back. */
export type ListState = { filters: Readonly<Record<string, string>>; sort: Sort | undefined; page: number }

/** A column of a list: the value it sorts by, the text it filters by, and how it looks. */
export type Column<Row> = ColumnTerms & {
  key: string
  /** Null comes last in either direction. */
  value: (row: Row) => string | number | null
  text: (row: Row) => string
  /** Whether the query matches this row although its text doesn't. */
  alsoMatches?: (row: Row, query: string) => boolean
  /** The content of the cell, if it is more than its text. */
  show?: (row: Row) => ReactNode
  /** The tooltip; the text itself by default. */
  tip?: (row: Row) => string
  /** Makes this column the title of the row on phones, instead of the first. */
  isRowTitle?: true
  /** Whether its text is a secret that grants access; only the end of a secret is written to files. */
  secret?: true
  /** Shown below the row's title on phones; a list with such columns shows no others there. */
  shownOnPhone?: true
  /** Hidden until the user chooses to show it. */
  hiddenByDefault?: true
  /** Can't be searched or sorted. */
  isDisplayOnly?: true
  /** Makes the column invisible and searchable only through the address. Returns whether a query is valid. */
  filterOnly?: (query: string) => boolean
  /** The initial width in pixels of a column that doesn't shrink; others start at 200. */
  width?: number
  /** Takes the width that the other columns leave. */
  fillsWidth?: true
}

/** The part of a column that only the page defines. */
type Cell<Row> = Omit<Column<Row>, 'key' | 'title' | 'search' | 'text'> & {
  /** Defaults to the value, formatted as a time if the column is searched by time. */
  text?: (row: Row) => string
  /** The tooltip of a missing time. */
  never?: string
}

export function columnOf<Row>(
  key: string,
  { title, search }: ColumnTerms,
  { never = '–', ...cell }: Cell<Row>,
): Column<Row> {
  if (search !== 'time') return { key, title, search, text: (row) => String(cell.value(row) ?? '–'), ...cell }
  const at = (row: Row) => {
    const value = cell.value(row)
    return value === null ? null : Number(value)
  }
  return {
    ...{ key, title, search },
    text: (row) => formatTime(at(row)),
    tip: (row) => (at(row) === null ? never : withZone(formatAge(at(row)), at(row))),
    ...cell,
  }
}

export const columnsOf =
  <Row, Key extends string>(terms: Readonly<Record<Key, ColumnTerms>>, cells: Readonly<Record<Key, Cell<Row>>>) =>
  (key: Key): Column<Row> =>
    columnOf(key, terms[key], cells[key])

/** The column with each row's text cached, because a search reads all of them. */
export function cacheTexts<Row extends object>(column: Column<Row>): Column<Row> {
  const texts = new WeakMap<Row, string>()
  const text = (row: Row) => {
    const cachedText = texts.get(row)
    if (cachedText !== undefined) return cachedText
    const written = column.text(row)
    texts.set(row, written)
    return written
  }
  return { ...column, text }
}

const normalizeText = (text: string) => text.trim().toLowerCase()

const matchers: Record<ColumnSearch, (text: string, query: string) => boolean> = {
  equals: (text, query) => text === query.trim(),
  word: (text, query) => normalizeText(text) === normalizeText(query),
  includes: (text, query) => normalizeText(text).includes(normalizeText(query)),
  fuzzy: (text, query) => containsInOrder(text, query.trim()),
  time: (text, query) => containsInOrder(text, query.trim()),
}

const plain = /^[ -~]*$/

/** Whether the text contains the query's letters in order; case and accents are ignored. */
function containsInOrder(text: string, query: string): boolean {
  // For ASCII, indexOf is enough, and faster for thousands of rows.
  const isPlain = plain.test(text) && plain.test(query)
  const letters = text.normalize('NFC').toLowerCase()
  const wanted = query.normalize('NFC').toLowerCase()
  const indexAfter = (at: number, letter: string) =>
    isPlain
      ? letters.indexOf(letter, at + 1)
      : [...letters].findIndex((one, index) => index > at && compareTexts(one, letter) === 0)
  let at = -1
  for (const letter of wanted) {
    at = indexAfter(at, letter)
    if (at === -1) return false
  }
  return true
}

export const matches = <Row>(column: Column<Row>, row: Row, query: string): boolean =>
  query.trim() === '' || matchers[column.search](column.text(row), query) || column.alsoMatches?.(row, query) === true

/** Compares two values other than null; digits in text count as numbers: `app2` before `app10`. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return compareTexts(String(a), String(b))
}

let collator: Intl.Collator | undefined
/** Creates the collator on first use, because that takes a browser 10 ms and a new list doesn't need one. */
function compareTexts(a: string, b: string): number {
  collator ??= new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  return collator.compare(a, b)
}

/** The rows that match every search box, in their original order. */
export function filterRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  filters: ListState['filters'],
): readonly Row[] {
  const searches = columns.flatMap((column) => {
    const query = filters[column.key]
    return query === undefined ? [] : [{ column, query }]
  })
  if (searches.length === 0) return rows
  return rows.filter((row) => searches.every(({ column, query }) => matches(column, row, query)))
}

/** The rows sorted by the column's value; null comes last in either direction, equal rows keep their order. */
export function sortRows<Row>(
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
