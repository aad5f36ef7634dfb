import { useEffect, useEffectEvent, useMemo } from 'react'
import { type Column, find, order } from './column.ts'
import { usePageSize, useWidths, usualWidth } from './layout.ts'
import { useListState } from './list-state.ts'

const noRows: readonly never[] = []

/** The rows to show and the widths of the columns; searching and sorting are only repeated when their input changes. */
export function useModel<Row>(props: {
  name: string
  columns: readonly Column<Row>[]
  rows: readonly Row[] | undefined
}) {
  const { columns, rows = noRows } = props
  const list = useListState(columns)
  const { filters, sort } = list.state
  const [pageSize, setPageSize] = usePageSize()
  const [widths, setWidth] = useWidths(props.name)
  const found = useMemo(() => find(rows, columns, filters), [rows, columns, filters])
  const ordered = useMemo(() => order(found, columns, sort), [found, columns, sort])
  const pages = Math.max(1, Math.ceil(found.length / pageSize))
  const isPast = props.rows !== undefined && list.state.page > pages
  const toLast = useEffectEvent(() => list.goTo(pages))
  useEffect(() => {
    if (isPast) toLast()
  }, [isPast])
  const page = Math.min(list.state.page, pages)
  const shown = ordered.slice((page - 1) * pageSize, page * pageSize)
  const widthOf = ({ key, width }: Column<Row>) => widths[key] ?? width ?? usualWidth
  return { list, shown, found: found.length, page, pages, pageSize, setPageSize, widthOf, setWidth }
}
