import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import surface from '../components/surface.module.css'
import { useSlow } from '../debounce.ts'
import { Cell, LoadFailed, NoMatch, Skeleton } from './cells.tsx'
import headCss from './head.module.css'
import { HeadCell, onLine } from './head-cell.tsx'
import type { List } from './list-state.ts'
import { type Source, useModel } from './model.ts'
import { Pager } from './pager.tsx'
import { SearchBox } from './search-box.tsx'
import css from './table.module.css'

/** Pixels of the Actions column. */
const actionsWidth = 112

type DataTableProps<Row> = {
  /** The name under which the browser stores the column widths. */
  name: string
  caption: string
  list: List<Row>
  source: Source<Row>
  /** Without it there is no Actions column, and the last column takes the remaining width. */
  actions?: (row: Row) => ReactNode
  /** Shown if the list has no rows. */
  empty: ReactNode
}

/** A paged list whose columns can be searched, sorted and resized. */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { list, actions } = props
  const { columns } = list
  const { rows, refused, onRetry } = props.source
  const { shown, found, isEmpty, page, pages, widthOf, setWidth } = useModel(props)
  const isBehind = useSlow(props.source.isBehind === true)
  const width = columns.reduce((sum, column) => sum + widthOf(column), actions ? actionsWidth : 0)
  const slack = actions ? undefined : columns.at(-1)
  const leading = columns.find(({ lead }) => lead) ?? columns[0]
  const searches = Object.keys(list.state.filters).length
  const [open, setOpen] = useState(searches > 0)
  const head = useId()
  return (
    <div className={`${surface.card} ${css.card}`}>
      <FoldButton head={head} open={open} searches={searches} onToggle={() => setOpen(!open)} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className={css.scroll} tabIndex={0} aria-label={props.caption}>
        <table className={css.table} data-open={open || undefined} style={{ '--width': `${width}px` }}>
          <caption className="sr">{props.caption}</caption>
          <colgroup>
            {columns.map((column) => (
              <col key={column.key} {...(column !== slack && { style: { width: widthOf(column) } })} />
            ))}
            {actions && <col />}
          </colgroup>
          <thead id={head}>
            <tr>
              {columns.map((column, index) => (
                <HeadCell
                  key={column.key}
                  title={column.title}
                  id={column.key}
                  line={index + 1}
                  sort={list.state.sort}
                  onSort={list.sortBy}
                  width={widthOf(column)}
                  onWidth={(width) => setWidth(column.key, width)}
                />
              ))}
              {actions && (
                <th scope="col" className={css.last}>
                  <span className={headCss.plain}>Actions</span>
                </th>
              )}
            </tr>
            <tr className={css.searches}>
              {columns.map(({ key, title }, index) => (
                <td key={key} style={onLine(index + 1)}>
                  <SearchBox
                    label={`Search ${title}`}
                    value={list.state.filters[key] ?? ''}
                    error={refused?.[key]}
                    onSearch={(query) => list.filter(key, query)}
                  />
                </td>
              ))}
              {actions && <td className={css.last} />}
            </tr>
          </thead>
          <tbody aria-busy={props.source.isBehind} data-behind={isBehind || undefined}>
            {!rows && !onRetry && <Skeleton columns={columns.length + (actions ? 1 : 0)} />}
            {shown.map((row) => (
              <tr key={row.id}>
                {columns.map((column) => (
                  <Cell key={column.key} column={column} row={row} lead={column === leading} />
                ))}
                {actions && (
                  <td className={css.last}>
                    <div className={css.actions}>{actions(row)}</div>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
        {!rows && !onRetry && <p className="sr">Loading…</p>}
        {!rows && onRetry && (
          <div className={css.empty} role="alert">
            <LoadFailed onRetry={onRetry} />
          </div>
        )}
        {rows && found === 0 && !refused && <div className={css.empty}>{isEmpty ? props.empty : <NoMatch />}</div>}
      </section>
      <Pager
        rows={refused ? undefined : rows && found}
        failed={(refused ?? onRetry) !== undefined}
        page={page}
        pages={pages}
        size={list.pageSize}
        onPage={list.goTo}
        onSize={list.setPageSize}
      />
    </div>
  )
}

/** On phones, this button shows and hides the head of the table, with its search boxes and sort buttons. */
function FoldButton(props: { head: string; open: boolean; searches: number; onToggle: () => void }) {
  return (
    <button
      type="button"
      className={css.fold}
      aria-expanded={props.open}
      aria-controls={props.head}
      onClick={props.onToggle}
    >
      Search and sort
      <span>{searchesText(props.searches)}</span>
      <ChevronDown size={16} aria-hidden="true" />
    </button>
  )
}

function searchesText(searches: number): string {
  if (searches === 0) return ''
  return searches === 1 ? '1 search' : `${searches} searches`
}
