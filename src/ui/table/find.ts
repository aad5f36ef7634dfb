import { type Column, compare, matches } from './column.ts'
import type { ListState, Sort } from './list-state.ts'

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
