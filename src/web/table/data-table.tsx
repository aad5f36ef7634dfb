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
import { type ReactNode, useMemo } from 'react'
import { type Column, compare, matches } from './column.ts'
import { HeadCell } from './head-cell.tsx'
import { usePageSize, useWidths } from './layout.ts'
import { useListState } from './list-state.ts'
import { Pager } from './pager.tsx'
import { SearchBox } from './search-box.tsx'
import css from './table.module.css'

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

export type DataTableProps<Row> = {
  /** Under this name the browser remembers the widths. */
  name: string
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[] | undefined
  rowId: (row: Row) => string
  actions: (row: Row) => ReactNode
  /** Said when there is not one row to show, filtered or not. */
  empty: ReactNode
}

/** A list with a search box, a sort and a width a column, page by page. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { columns, rows } = props
  const list = useListState(columns.map((column) => column.key))
  const [pageSize, setPageSize] = usePageSize()
  const [widths, setWidths] = useWidths(props.name)
  const defs = useMemo(() => columns.map(defOf), [columns])
  const data = useMemo(() => [...(rows ?? [])], [rows])
  const { filters, sort, page } = list.state
  const table = useTable({
    features,
    data,
    columns: defs,
    getRowId: props.rowId,
    columnResizeMode: 'onChange',
    defaultColumn: { size: 200, minSize: 100, maxSize: 500 },
    autoResetPageIndex: false,
    state: {
      columnFilters: Object.entries(filters).map(([id, value]) => ({ id, value })),
      sorting: sort ? [{ id: sort.key, desc: sort.descending }] : [],
      pagination: { pageIndex: page - 1, pageSize },
      columnSizing: widths,
    },
    onColumnSizingChange: (change) => setWidths(typeof change === 'function' ? change(widths) : change),
  })
  const found = table.getPrePaginatedRowModel().rows.length
  const pages = Math.max(1, Math.ceil(found / pageSize))
  if (rows && page > pages) list.goTo(pages)
  const headers = table.getHeaderGroups()[0]?.headers ?? []
  const byKey = new Map(columns.map((column) => [column.key, column]))
  return (
    <div className={css.card}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className={css.scroll} tabIndex={0} aria-label={props.caption}>
        <table className={css.table} style={{ width: `max(100%, ${table.getTotalSize() + 112}px)` }}>
          <caption className="sr">{props.caption}</caption>
          <colgroup>
            {headers.map((header) => (
              <col key={header.id} style={{ width: header.getSize() }} />
            ))}
            <col />
          </colgroup>
          <thead>
            <tr>
              {headers.map((header) => (
                <HeadCell
                  key={header.id}
                  title={byKey.get(header.id)?.title ?? header.id}
                  id={header.id}
                  sort={sort}
                  onSort={list.sortBy}
                  width={header.getSize()}
                  onWidth={(width) => setWidths({ ...widths, [header.id]: width })}
                  resizing={header.column.getIsResizing()}
                  onGrab={header.getResizeHandler()}
                />
              ))}
              <th scope="col" className={css.last}>
                <span className={css.plain}>Actions</span>
              </th>
            </tr>
            <tr className={css.searches}>
              {columns.map(({ key, title }) => (
                <td key={key}>
                  <SearchBox
                    label={`Search ${title}`}
                    value={filters[key] ?? ''}
                    onSearch={(query) => list.filter(key, query)}
                  />
                </td>
              ))}
              <td className={css.last} />
            </tr>
          </thead>
          <tbody>
            {!rows && <Skeleton columns={columns.length + 1} />}
            {table.getRowModel().rows.map((row) => (
              <tr key={row.id}>
                {columns.map((column) => (
                  <Cell key={column.key} column={column} row={row.original} />
                ))}
                <td className={css.last}>
                  <div className={css.actions}>{props.actions(row.original)}</div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {rows && found === 0 && <div className={css.empty}>{rows.length > 0 ? <NoMatch /> : props.empty}</div>}
      </section>
      <Pager
        rows={found}
        page={Math.min(page, pages)}
        pages={pages}
        size={pageSize}
        onPage={list.goTo}
        onSize={setPageSize}
      />
    </div>
  )
}

const NoMatch = () => (
  <>
    <strong>Nothing found</strong>
    <span>No row matches the search.</span>
  </>
)

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  return (
    <td>
      <span className={css.truncated} title={column.tip?.(row) ?? column.text(row)}>
        {column.show?.(row) ?? column.text(row)}
      </span>
    </td>
  )
}

const ghosts = Array.from({ length: 6 }, (_, row) => row)
function Skeleton({ columns }: { columns: number }) {
  return ghosts.map((row) => (
    <tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
        <td key={column}>
          <div className={css.ghost} />
        </td>
      ))}
    </tr>
  ))
}
