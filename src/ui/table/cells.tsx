import { type KeyboardEvent, type MouseEvent, type ReactNode, useState } from 'react'
import { useTimeDependent } from '../clock.ts'
import css from './cells.module.css'
import type { Column } from './column.ts'
import { SelectBox } from './selection/select-box.tsx'
import rowCss from './table.module.css'

/** Allows a line break only between day and time. */
function DayAndTime({ text }: { text: string }) {
  const [day, ...time] = text.split(' ')
  return (
    <>
      {day} <span>{time.join(' ')}</span>
    </>
  )
}

/** `lead` marks the column that is the row's title on phones. */
function Cell<Row>({ column, row, lead }: { column: Column<Row>; row: Row; lead: boolean }) {
  const value = column.tip ? column.value(row) : null
  const tip = useTimeDependent(typeof value === 'number' ? value : null, () => column.tip?.(row) ?? column.text(row))
  // The lead is a row header, which screen readers read with each cell of the row.
  const [Tag, scope] = lead ? (['th', 'row'] as const) : (['td', undefined] as const)
  return (
    <Tag
      scope={scope}
      data-label={column.title}
      data-lead={lead || undefined}
      data-brief={column.shownOnPhone}
      data-time={column.search === 'time' || undefined}
    >
      <span className={css.truncated} dir="auto" title={tip}>
        {column.show?.(row) ?? (column.search === 'time' ? <DayAndTime text={column.text(row)} /> : column.text(row))}
      </span>
    </Tag>
  )
}

/** The number of characters that fit in a column of the usual width. */
const fits = 24

/** A long text, truncated until it is pressed. */
export function LongText({ text }: { text: string }) {
  const [open, setOpen] = useState(false)
  if (text.length <= fits) return text
  return (
    <button type="button" className={css.unfold} aria-expanded={open} onClick={() => setOpen(!open)}>
      {text}
    </button>
  )
}

const ghosts = Array.from({ length: 6 }, (_, row) => row)
export function Skeleton({ columns }: { columns: number }) {
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

export const NoMatch = ({ children }: { children: ReactNode }) => (
  <>
    <strong>No matches</strong>
    <span>No rows match your search.</span>
    <div>{children}</div>
  </>
)

/** Controls within a row: pressing one doesn't open the row. */
const controls = 'a, button, input, label, select, summary'

const isPlain = (event: MouseEvent) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
const hasSelectedText = () => getSelection()?.isCollapsed === false

const neighbours = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const

/** A row. If `onOpen` is set, a press or Enter opens it, and the arrow keys move between rows. */
export function TableRow<Row extends { id: string }>(props: {
  row: Row
  columns: readonly Column<Row>[]
  leading: Column<Row> | undefined
  actions: ((row: Row) => ReactNode) | undefined
  selected: boolean
  onSelect: ((on: boolean, range: boolean) => void) | undefined
  onOpen: ((row: Row) => void) | undefined
  /** Whether Tab stops at this row; only one row of the table is a tab stop. */
  isStop: boolean
  onStop: () => void
}) {
  const { row, columns, actions, selected, onSelect, onOpen } = props
  const onKey = (event: KeyboardEvent<HTMLTableRowElement>) => {
    if (event.target !== event.currentTarget) return
    if (event.key === 'Enter') onOpen?.(row)
    else if (event.key === ' ' && onSelect) onSelect(!selected, event.shiftKey)
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const next = event.currentTarget[neighbours[event.key]]
      if (next instanceof HTMLElement) next.focus()
    } else return
    event.preventDefault()
  }
  const onClick = (event: MouseEvent) => {
    // React also reports presses in the row's menus and dialogs here.
    const { target } = event
    const isOutside = !(target instanceof Element && event.currentTarget.contains(target))
    const isControl = isOutside || target.closest(controls) !== null
    if (!isControl && isPlain(event) && !hasSelectedText()) onOpen?.(row)
  }
  const opening = onOpen && {
    className: rowCss.opens,
    tabIndex: props.isStop ? 0 : -1,
    onKeyDown: onKey,
    onClick,
    onFocus: props.onStop,
  }
  return (
    <tr {...opening} data-selected={selected || undefined}>
      {onSelect && (
        <td className={rowCss.select}>
          <SelectBox
            label={`Select ${props.leading?.tip?.(row) ?? props.leading?.text(row)}`}
            checked={selected}
            onChange={onSelect}
          />
        </td>
      )}
      {columns.map((column) => (
        <Cell key={column.key} column={column} row={row} lead={column === props.leading} />
      ))}
      {actions && (
        <td className={rowCss.last}>
          <div className={rowCss.actions}>{actions(row)}</div>
        </td>
      )}
    </tr>
  )
}
