import {
  type ColumnDef,
  columnFilteringFeature,
  columnResizingFeature,
  columnSizingFeature,
  createFilteredRowModel,
  createPaginatedRowModel,
  createSortedRowModel,
  rowPaginationFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useMemo } from 'react'
import { type Column, compare, matches } from './column.ts'
import { usePageSize, useWidths } from './layout.ts'
import { useListState } from './list-state.ts'

const features = tableFeatures({
  columnFilteringFeature,
  rowSortingFeature,
  rowPaginationFeature,
  columnSizingFeature,
  columnResizingFeature,
  filteredRowModel: createFilteredRowModel(),
  sortedRowModel: createSortedRowModel(),
  paginatedRowModel: createPaginatedRowModel(),
})
type Features = typeof features

const defOf = <Row extends object>(column: Column<Row>): ColumnDef<Features, Row, unknown> => ({
  id: column.key,
  accessorFn: (row) => column.value(row) ?? undefined,
  header: column.title,
  filterFn: (row, _id, query) => matches(column, row.original, String(query)),
  sortFn: (a, b, id) => compare(a.getValue(id), b.getValue(id)),
  sortUndefined: 'last',
})

const noRows: readonly never[] = []

/** What of the rows is looked at, and how wide; found and ordered anew only when that changes. */
export function useModel<Row extends object>(props: {
  name: string
  columns: readonly Column<Row>[]
  rows: readonly Row[] | undefined
  rowId: (row: Row) => string
}) {
  const { columns, rows = noRows } = props
  const list = useListState(columns)
  const [pageSize, setPageSize] = usePageSize()
  const [widths, setWidths] = useWidths(props.name)
  const defs = useMemo(() => columns.map(defOf), [columns])
  const data = useMemo(() => [...rows], [rows])
  const { filters, sort, page } = list.state
  const columnFilters = useMemo(() => Object.entries(filters).map(([id, value]) => ({ id, value })), [filters])
  const sorting = useMemo(() => (sort ? [{ id: sort.key, desc: sort.descending }] : []), [sort])
  const pagination = useMemo(() => ({ pageIndex: page - 1, pageSize }), [page, pageSize])
  const table = useTable({
    features,
    data,
    columns: defs,
    getRowId: props.rowId,
    columnResizeMode: 'onChange',
    defaultColumn: { size: 200, minSize: 100, maxSize: 500 },
    autoResetPageIndex: false,
    state: { columnFilters, sorting, pagination, columnSizing: widths },
    onColumnSizingChange: (change) => setWidths(typeof change === 'function' ? change(widths) : change),
  })
  const found = table.getPrePaginatedRowModel().rows.length
  const pages = Math.max(1, Math.ceil(found / pageSize))
  if (props.rows && page > pages) list.goTo(pages)
  return {
    list,
    table,
    found,
    page: Math.min(page, pages),
    pages,
    pageSize,
    setPageSize,
    setWidth: (key: string, width: number) => setWidths({ ...widths, [key]: width }),
  }
}
