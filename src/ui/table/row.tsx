import type { KeyboardEvent, MouseEvent, ReactNode } from 'react'
import { Cell } from './cells.tsx'
import type { Column } from './column.ts'
import { SelectBox } from './selection/select-box.tsx'
import css from './table.module.css'

/** What a press on a row is meant for instead of opening it. */
const controls = 'a, button, input, label, select, summary'

const isPlain = (event: MouseEvent) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
const hasSelectedText = () => getSelection()?.isCollapsed === false

const neighbours = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const

/** A row; if it opens, it does so by a press or Enter, and the arrow keys go from row to row. */
export function TableRow<Row extends { id: string }>(props: {
  row: Row
  columns: readonly Column<Row>[]
  /** The column that is the title of the row on phones. */
  leading: Column<Row> | undefined
  actions: ((row: Row) => ReactNode) | undefined
  selected: boolean
  /** Without it there is nothing to select. */
  onSelect: ((on: boolean, range: boolean) => void) | undefined
  onOpen: ((row: Row) => void) | undefined
  /** Whether Tab stops here; of all rows that open, at one. */
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
    const isControl = event.target instanceof Element && event.target.closest(controls) !== null
    if (!isControl && isPlain(event) && !hasSelectedText()) onOpen?.(row)
  }
  const opening = onOpen && {
    className: css.opens,
    tabIndex: props.isStop ? 0 : -1,
    onKeyDown: onKey,
    onClick,
    onFocus: props.onStop,
  }
  return (
    <tr {...opening} data-selected={selected || undefined}>
      {onSelect && (
        <td className={css.select}>
          <SelectBox label="Select this row" checked={selected} onChange={onSelect} />
        </td>
      )}
      {columns.map((column) => (
        <Cell key={column.key} column={column} row={row} lead={column === props.leading} />
      ))}
      {actions && (
        <td className={css.last}>
          <div className={css.actions}>{actions(row)}</div>
        </td>
      )}
    </tr>
  )
}
