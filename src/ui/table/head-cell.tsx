import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import type { Sort } from './column.ts'
import css from './head.module.css'
import { bounded, narrowest, usualWidth, widest } from './layout.ts'

const step = 20

/** Ascending, then descending, then unsorted. */
function nextSort(id: string, sort: Sort | undefined): Sort | undefined {
  if (sort?.key !== id) return { key: id, descending: false }
  return sort.descending ? undefined : { key: id, descending: true }
}

const spoken = (on: Sort | undefined) => {
  if (!on) return 'none'
  return on.descending ? 'descending' : 'ascending'
}

function Arrow({ on }: { on: Sort | undefined }) {
  if (!on) return <ChevronsUpDown size={13} aria-hidden="true" />
  const Direction = on.descending ? ArrowDown : ArrowUp
  return <Direction size={13} aria-hidden="true" />
}

/** The line on which phones show a head and its search box side by side. */
export const onLine = (line: number) => ({ '--line-of': line })

export function HeadCell(props: {
  id: string
  title: string
  /** Whether it can't be sorted. */
  isPlain: boolean
  /** Its line on phones, from 1. */
  line: number
  sort: Sort | undefined
  onSort: (sort: Sort | undefined) => void
  width: number
  onWidth: (width: number) => void
}) {
  const { id, title, width } = props
  const on = props.sort?.key === id ? props.sort : undefined
  // Where dragging started, and how wide the column was then.
  const [grabbed, setGrabbed] = useState<{ x: number; width: number }>()
  const setWidth = (width: number) => props.onWidth(bounded(width))
  const onGrab = (event: PointerEvent) => {
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
      aria-sort={props.isPlain ? undefined : spoken(on)}
      style={onLine(props.line)}
      data-plain={props.isPlain || undefined}
    >
      {props.isPlain ? (
        <span className={css.plain}>{title}</span>
      ) : (
        <button
          type="button"
          className={css.sort}
          data-on={on && true}
          onClick={() => props.onSort(nextSort(id, props.sort))}
        >
          {title}
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
        className={css.grip}
        data-on={grabbed && true}
        onPointerDown={onGrab}
        onPointerMove={(event) => grabbed && setWidth(grabbed.width + event.clientX - grabbed.x)}
        onLostPointerCapture={() => setGrabbed(undefined)}
        onDoubleClick={() => props.onWidth(usualWidth)}
        onKeyDown={onKey}
      />
    </th>
  )
}
