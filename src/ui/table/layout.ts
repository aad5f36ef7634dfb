import { useState } from 'react'
import { store, stored, storedRecord } from '../stored.ts'
import { pageSizes } from './pager.tsx'

declare module 'react' {
  interface CSSProperties {
    /** The width of all columns together, in pixels. */
    '--width'?: string
    /** The line on which phones show a column's head and its search box. */
    '--line-of'?: number
  }
}

/** The width of a column that was not resized, in pixels. */
export const usualWidth = 200
export const narrowest = 100
export const widest = 500
export const bounded = (width: number) => Math.min(widest, Math.max(narrowest, Math.round(width)))

const sizeKey = 'toolbox.pageSize'
const isSize = (size: number) => pageSizes.some((choice) => choice === size)

/** The number of rows on a page, stored by this browser for all lists. */
export function usePageSize() {
  const [size, setSize] = useState(() => {
    const remembered = Number(stored(sizeKey))
    return isSize(remembered) ? remembered : pageSizes[0]
  })
  const choose = (next: number) => {
    store(sizeKey, String(next))
    setSize(next)
  }
  return [size, choose] as const
}

/** The widths of this list's columns, stored by this browser. */
export function useWidths(list: string) {
  const key = `toolbox.widths.${list}`
  const [widths, setWidths] = useState<Record<string, number>>(() =>
    Object.fromEntries(
      Object.entries(storedRecord(key)).flatMap(([column, width]) =>
        typeof width === 'number' ? [[column, bounded(width)]] : [],
      ),
    ),
  )
  const setWidth = (column: string, width: number) => {
    const next = { ...widths, [column]: width }
    store(key, JSON.stringify(next))
    setWidths(next)
  }
  return [widths, setWidth] as const
}
