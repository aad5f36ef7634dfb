import { useState } from 'react'
import { store, stored, storedRecord } from '../stored.ts'
import { pageSizes } from './pager.tsx'

declare module 'react' {
  interface CSSProperties {
    /** Pixels of all columns together. */
    '--width'?: string
    /** The line on which a phone shows a column's head and its search box. */
    '--line-of'?: number
  }
}

/** Pixels of a column that nobody resized. */
export const usualWidth = 200
export const narrowest = 100
export const widest = 500
export const bounded = (width: number) => Math.min(widest, Math.max(narrowest, Math.round(width)))

const sizeKey = 'toolbox.pageSize'
const isSize = (size: number) => pageSizes.some((choice) => choice === size)

/** How many rows a page holds, remembered for every list of this browser. */
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

/** How wide this list's columns are, remembered by this browser. */
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
