import { ArrowDown, ArrowUp, ChevronDown, ChevronsUpDown, Columns3, RotateCcw, Square, SquareCheck } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useState } from 'react'
import { Button, buttonClass } from '../components/button.tsx'
import { LoadFailedNote } from '../components/load-failed.tsx'
import surface from '../components/surface.module.css'
import { useSlow } from '../debounce.ts'
import { useIsPhone } from '../media.ts'
import { MenuButton } from '../shell/shell.tsx'
import { NoMatch, Skeleton, TableRow } from './cells.tsx'
import chipsCss from './chips.module.css'
import type { Column, Sort } from './column.ts'
import headCss from './head.module.css'
import { clampWidth, defaultWidth, narrowest, useElementWidth, widest } from './layout.ts'
import type { List } from './list-state.ts'
import { type Source, useModel } from './model.ts'
import pagerCss from './pager.module.css'
import { Pager } from './pager.tsx'
import { SearchBox } from './search-box.tsx'
import { SelectBox } from './selection/select-box.tsx'
import { type Selection, useSelecting } from './selection/selection.ts'
import css from './table.module.css'

/** Widths of the Actions and the checkbox column, in pixels. */
const actionsWidth = 116
const selectWidth = 44

type DataTableProps<Row> = {
  /** The name under which the browser stores the column widths. */
  name: string
  caption: string
  list: List<Row>
  source: Source<Row>
  /** If undefined, there is no Actions column, and the last column takes the remaining width. */
  actions?: (row: Row) => ReactNode
  empty: ReactNode
  selection?: Selection
  /** Actions on the selected rows, shown in place of the pager. */
  selectionBar?: ReactNode
  /** Actions on all rows, shown next to the pager. */
  tools?: ReactNode
  /** Filters by properties that no column shows. */
  chips?: ReactNode
  noMatch?: ReactNode
  onOpen?: ((row: Row) => void) | undefined
}

/** A paged list whose columns can be searched, sorted and resized. */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { list, actions, selection, onOpen } = props
  const { rows, refused, onRetry } = props.source
  const [room, measure] = useElementWidth()
  const fixed = (actions ? actionsWidth : 0) + (selection ? selectWidth : 0)
  const model = useModel({ ...props, room: room - fixed })
  const { columns, visibleRows, found, isEmpty, page, pages, setWidth } = model
  const widthOf = ({ key }: Column<Row>) => model.widths[key]!
  const isBehind = useSlow(props.source.isBehind === true)
  const width = columns.reduce((sum, column) => sum + widthOf(column), fixed)
  const slack = actions ? undefined : columns.at(-1)
  const leading = columns.find(({ isRowTitle }) => isRowTitle) ?? columns[0]
  const isBrief = columns.some(({ shownOnPhone }) => shownOnPhone)
  // Cells that phones hide aren't rendered there: they are most of a long row.
  const isPhone = useIsPhone()
  const cells = isPhone && isBrief ? columns.filter((column) => column.shownOnPhone || column === leading) : columns
  const { filters } = list.state
  const searches = columns.filter(({ key }) => filters[key] !== undefined).length
  const [open, setOpen] = useState(searches > 0)
  // On phones, the head is rendered when first opened, then kept for the text typed in it.
  const [hasHead, setHasHead] = useState(open)
  const toggle = () => {
    setHasHead(true)
    setOpen(!open)
  }
  const noMatch = (
    <>
      {props.noMatch}
      <Button onClick={() => list.filter(Object.fromEntries(Object.keys(filters).map((key) => [key, ''])))}>
        Clear search
      </Button>
    </>
  )
  const head = useId()
  const isSelecting = selection !== undefined && selection.ids.size > 0 && props.selectionBar !== undefined
  const selecting = useSelecting(selection, visibleRows)
  const [tabStop, setTabStop] = useState<string>()
  const stopAt = visibleRows.some(({ id }) => id === tabStop) ? tabStop : visibleRows[0]?.id
  return (
    <div className={`${surface.card} ${css.card}`} data-wide>
      {props.chips && (
        <div className={chipsCss.line}>
          {props.chips}
          {!isPhone && <ColumnsButton choice={model.choice} leading={leading} />}
        </div>
      )}
      <FoldButton head={head} open={open} searches={searches} onToggle={toggle} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section ref={measure} className={css.scroll} tabIndex={0} aria-label={props.caption}>
        <table
          className={css.table}
          data-open={open || undefined}
          data-brief={isBrief || undefined}
          style={{ '--width': `${width}px` }}
        >
          <caption className="sr">{props.caption}</caption>
          {(hasHead || !isPhone) && (
            <>
              <colgroup>
                {selection && <col style={{ width: selectWidth }} />}
                {columns.map((column) => (
                  <col key={column.key} {...(column !== slack && { style: { width: widthOf(column) } })} />
                ))}
                {actions && <col />}
              </colgroup>
              <thead id={head}>
                <tr>
                  {selection && (
                    <td className={css.selectAll}>
                      <SelectBox
                        label="Select all rows of this page"
                        words="Select all on this page"
                        checked={selecting.areAll}
                        indeterminate={selecting.areSome}
                        disabled={visibleRows.length === 0}
                        onChange={selecting.selectPage}
                      />
                    </td>
                  )}
                  {columns.map((column, index) => (
                    <HeadCell
                      key={column.key}
                      column={column}
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
                  {selection && <td />}
                  {columns.map(({ key, title, isDisplayOnly }, index) => (
                    <td key={key} style={gridRow(index + 1)} data-plain={isDisplayOnly}>
                      {!isDisplayOnly && (
                        <SearchBox
                          label={`Search ${title}`}
                          value={list.state.filters[key] ?? ''}
                          error={refused?.[key]}
                          onSearch={(query) => list.filter({ [key]: query })}
                        />
                      )}
                    </td>
                  ))}
                  {actions && <td className={css.last} />}
                </tr>
              </thead>
            </>
          )}
          <tbody aria-busy={props.source.isBehind} data-behind={isBehind || undefined}>
            {!rows && !onRetry && <Skeleton columns={columns.length + (actions ? 1 : 0) + (selection ? 1 : 0)} />}
            {visibleRows.map((row) => (
              <TableRow
                key={row.id}
                row={row}
                columns={cells}
                leading={leading}
                actions={actions}
                selected={selection?.ids.has(row.id) ?? false}
                onSelect={selection && ((on, range) => selecting.select(row.id, on, range))}
                onOpen={onOpen}
                isStop={row.id === stopAt}
                onStop={() => setTabStop(row.id)}
              />
            ))}
          </tbody>
        </table>
        {!rows && !onRetry && <p className="sr">Loading…</p>}
        {!rows && onRetry && (
          <div className={css.empty} role="alert">
            <LoadFailedNote onRetry={onRetry} />
          </div>
        )}
        {rows && found === 0 && !refused && (
          <div className={css.empty}>{isEmpty ? props.empty : <NoMatch>{noMatch}</NoMatch>}</div>
        )}
      </section>
      {isSelecting && props.selectionBar}
      <div className={pagerCss.foot} hidden={isSelecting}>
        <Pager
          rows={refused ? undefined : rows && found}
          failed={(refused ?? onRetry) !== undefined}
          page={page}
          pages={pages}
          size={list.pageSize}
          onPage={list.goTo}
          onSize={list.setPageSize}
        />
        {props.tools}
      </div>
    </div>
  )
}

type Choice<Row> = ReturnType<typeof useModel<Row>>['choice']

/** Chooses which columns are shown; the row title is always shown. */
function ColumnsButton<Row>({ choice, leading }: { choice: Choice<Row>; leading: Column<Row> | undefined }) {
  const columns = choice.offered
    .filter(({ key }) => key !== leading?.key)
    .map(({ key, title }) => {
      const checked = !choice.hidden.has(key)
      return { label: title, Icon: checked ? SquareCheck : Square, checked, act: () => choice.toggle(key) }
    })
  return (
    <MenuButton
      className={buttonClass({ size: 'small' })}
      entries={[...columns, { label: 'Reset columns', Icon: RotateCcw, hasSeparator: true, act: choice.reset }]}
      align="end"
    >
      <Columns3 size={14} aria-hidden="true" />
      Columns
    </MenuButton>
  )
}

/** On phones, this button shows and hides the head of the table, with its search boxes and sort buttons. */
function FoldButton(props: { head: string; open: boolean; searches: number; onToggle: () => void }) {
  return (
    <button
      type="button"
      className={css.fold}
      aria-expanded={props.open}
      aria-controls={props.open ? props.head : undefined}
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

const step = 20

/** Ascending, then descending, then unsorted. */
function nextSort(id: string, sort: Sort | undefined): Sort | undefined {
  if (sort?.key !== id) return { key: id, descending: false }
  return sort.descending ? undefined : { key: id, descending: true }
}

const ariaSortOf = (on: Sort | undefined) => {
  if (!on) return 'none'
  return on.descending ? 'descending' : 'ascending'
}

function Arrow({ on }: { on: Sort | undefined }) {
  if (!on) return <ChevronsUpDown size={13} aria-hidden="true" />
  const Direction = on.descending ? ArrowDown : ArrowUp
  return <Direction size={13} aria-hidden="true" />
}

const gridRow = (line: number) => ({ '--line-of': line })

function HeadCell(props: {
  column: Pick<Column<never>, 'key' | 'title' | 'isDisplayOnly'>
  /** Its grid row on phones, starting at 1. */
  line: number
  sort: Sort | undefined
  onSort: (sort: Sort | undefined) => void
  width: number
  onWidth: (width: number) => void
}) {
  const { width } = props
  const { key, title, isDisplayOnly } = props.column
  const on = props.sort?.key === key ? props.sort : undefined
  // Where dragging started, and the column's width at that time.
  const [grabbed, setGrabbed] = useState<{ x: number; width: number }>()
  const setWidth = (width: number) => props.onWidth(clampWidth(width))
  const onGrab = (event: PointerEvent) => {
    // Keeps dragging from selecting text; the browser then doesn't focus the grip either.
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    setGrabbed({ x: event.clientX, width })
  }
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -step, ArrowRight: step }[event.key]
    if (by === undefined) return
    event.preventDefault()
    setWidth(width + by)
  }
  return (
    <th
      scope="col"
      // Excludes the label of the grip.
      aria-label={title}
      aria-sort={isDisplayOnly ? undefined : ariaSortOf(on)}
      style={gridRow(props.line)}
      data-plain={isDisplayOnly}
    >
      {isDisplayOnly ? (
        <span className={headCss.plain}>{title}</span>
      ) : (
        <button
          type="button"
          className={headCss.sort}
          data-on={on && true}
          title={title}
          onClick={() => props.onSort(nextSort(key, props.sort))}
        >
          <span>{title}</span>
          <Arrow on={on} />
        </button>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: an hr cannot be dragged */}
      <div
        role="separator"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label={`Width of ${title}`}
        aria-valuenow={width}
        aria-valuemin={narrowest}
        aria-valuemax={widest}
        className={headCss.grip}
        data-on={grabbed && true}
        onPointerDown={onGrab}
        onPointerMove={(event) => grabbed && setWidth(grabbed.width + event.clientX - grabbed.x)}
        onLostPointerCapture={() => setGrabbed(undefined)}
        onDoubleClick={() => props.onWidth(defaultWidth)}
        onKeyDown={onKey}
      />
    </th>
  )
}
