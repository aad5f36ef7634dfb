import { columnResizingFeature, columnSizingFeature, tableFeatures, useTable } from '@tanstack/react-table'
import { useMemo } from 'react'
import type { Column } from './column.ts'
import { find, order } from './find.ts'
import { usePageSize, useWidths } from './layout.ts'
import { useListState } from './list-state.ts'

const features = tableFeatures({ columnSizingFeature, columnResizingFeature })
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
  const { filters, sort } = list.state
  const [pageSize, setPageSize] = usePageSize()
  const [widths, setWidths] = useWidths(props.name)
  const found = useMemo(() => find(rows, columns, filters), [rows, columns, filters])
  const ordered = useMemo(() => order(found, columns, sort), [found, columns, sort])
  const pages = Math.max(1, Math.ceil(found.length / pageSize))
  const page = Math.min(list.state.page, pages)
  if (props.rows && list.state.page > pages) list.goTo(pages)
  // Only the rows on the page reach the table: it costs the same for ten and for ten thousand.
  const data = useMemo(() => ordered.slice((page - 1) * pageSize, page * pageSize), [ordered, page, pageSize])
  const defs = useMemo(
    () => columns.map(({ key, title, width }) => ({ id: key, header: title, ...(width && { size: width }) })),
    [columns],
  )
  const table = useTable({
    features,
    data,
    columns: defs,
    getRowId: props.rowId,
    columnResizeMode: 'onChange',
    defaultColumn: { size: 200, minSize: 100, maxSize: 500 },
    state: { columnSizing: widths },
    onColumnSizingChange: (change) => setWidths(typeof change === 'function' ? change(widths) : change),
  })
  const setWidth = (key: string, width: number) => setWidths({ ...widths, [key]: width })
  return { list, table, found: found.length, page, pages, pageSize, setPageSize, setWidth }
}
