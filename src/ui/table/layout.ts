import { useCallback, useState } from 'react'
import { readStorage, readStorageRecord, writeStorage } from '../browser-storage.ts'
import type { Column } from './column.ts'
import { pageSizes } from './pager.tsx'

declare module 'react' {
  interface CSSProperties {
    /** The width of all columns together, in pixels. */
    '--width'?: string
    /** The grid row in which phones show a column's head and its search box. */
    '--line-of'?: number
  }
}

/** The width of a column that was not resized, in pixels. */
export const defaultWidth = 200
export const narrowest = 100
export const widest = 500
export const clampWidth = (width: number) => Math.min(widest, Math.max(narrowest, Math.round(width)))

const sizeKey = 'toolbox.pageSize'
const isSize = (size: number) => pageSizes.some((choice) => choice === size)

/** The number of rows on a page, stored by this browser for all lists. */
export function usePageSize() {
  const [size, setSize] = useState(() => {
    const remembered = Number(readStorage(sizeKey))
    return isSize(remembered) ? remembered : pageSizes[0]
  })
  const choose = (next: number) => {
    writeStorage(sizeKey, String(next))
    setSize(next)
  }
  return [size, choose] as const
}

type Widths = Readonly<Record<string, number>>

/** Dragged columns, and those with a width, keep theirs; the others start at 200 px and shrink evenly, the ID first. */
export function fitWidths<Row>(columns: readonly Column<Row>[], dragged: Widths, room: number): Widths {
  const fixedWidthOf = ({ key, width }: Column<Row>) => dragged[key] ?? width
  const remaining = columns.reduce((remaining, column) => remaining - (fixedWidthOf(column) ?? 0), room)
  const shrinking = columns.filter((column) => fixedWidthOf(column) === undefined)
  const others = shrinking.filter(({ key }) => key !== 'id')
  const within = (width: number) => Math.floor(Math.min(defaultWidth, Math.max(narrowest, width)))
  const id = within(remaining - defaultWidth * others.length)
  const even = within((remaining - (others.length < shrinking.length ? id : 0)) / others.length)
  const widths = columns.map((column): [string, number] => [
    column.key,
    fixedWidthOf(column) ?? (column.key === 'id' ? id : even),
  ])
  const rest = widths.reduce((rest, [, width]) => rest - width, room)
  const growing = columns.find(({ key, fillsWidth }) => fillsWidth && dragged[key] === undefined)?.key
  return Object.fromEntries(
    widths.map(([key, width]) => [key, key === growing ? Math.min(widest, width + Math.max(0, rest)) : width]),
  )
}

/** An element's width in pixels, kept up to date, and the ref that measures it. */
export function useElementWidth() {
  const [room, setRoom] = useState(innerWidth)
  const measure = useCallback((element: HTMLElement | null) => {
    if (!element) return
    const updateRoom = () => setRoom(element.clientWidth)
    updateRoom()
    const observer = new ResizeObserver(updateRoom)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [room, measure] as const
}

export function useWidths(list: string) {
  const key = `toolbox.widths.${list}`
  const [widths, setWidths] = useState<Record<string, number>>(() =>
    Object.fromEntries(
      Object.entries(readStorageRecord(key)).flatMap(([column, width]) =>
        typeof width === 'number' ? [[column, clampWidth(width)]] : [],
      ),
    ),
  )
  const setWidth = (column: string, width: number) => {
    const next = { ...widths, [column]: width }
    writeStorage(key, JSON.stringify(next))
    setWidths(next)
  }
  const reset = () => {
    writeStorage(key, null)
    setWidths({})
  }
  return [widths, setWidth, reset] as const
}
